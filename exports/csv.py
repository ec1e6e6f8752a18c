"""CSV for Excel and everything else: UTF-8 with BOM, commas, CRLF, quotes where needed, plain digits."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from scraper.export.format import Format, Sheet
from scraper.export.value import Value, text_of

_BEGINS_FORMULA = re.compile(r"[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Csv(Format):
    """One file a kind. Python's `utf-8-sig` reads it with and without the BOM."""

    suffix: ClassVar[str] = "csv"

    guard: bool = False
    """Put an apostrophe before text that a spreadsheet would run as a formula; off, the file holds the data as is."""
    bom: bool = True
    """Begin with the mark by which Excel knows UTF-8."""

    def write(self, path: Path, sheets: Sequence[Sheet]) -> Counter[str]:
        """Write the header and the rows."""
        (sheet,) = sheets
        replaced: Counter[str] = Counter()
        with path.open("w", encoding="utf-8-sig" if self.bom else "utf-8", newline="") as stream:
            lines = csv.writer(stream)
            lines.writerow(sheet.columns)
            lines.writerows([self._text(value, replaced) for value in row] for row in sheet.rows)
        return replaced

    def _text(self, value: Value, replaced: Counter[str]) -> str:
        text = text_of(value)
        if self.guard and isinstance(value, str) and why_guarded(text):
            replaced["formulas_guarded"] += 1
            return f"'{text}"
        return text


def why_guarded(text: str) -> str | None:
    """The character for which a spreadsheet would take the text for a formula, or None; a plain number is none."""
    first = _BEGINS_FORMULA.match(text)
    return first.group() if first and not _PLAIN_NUMBER.fullmatch(text) else None


FORMAT = Csv
