"""JSON lines for programs: one strict JSON object a record, each with all columns in the order of the CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from scraper.export.format import Format, Sheet
from scraper.export.value import json_of


@dataclass(frozen=True)
class Jsonl(Format):
    """One file a kind, UTF-8. What is missing is null; a decimal is exact text (`"51.77"`), a time is ISO text."""

    suffix: ClassVar[str] = "jsonl"

    def write(self, path: Path, sheets: Sequence[Sheet]) -> Counter[str]:
        """Write a line a record; no record, no byte."""
        (sheet,) = sheets
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            for row in sheet.rows:
                stream.write(json_of(dict(zip(sheet.columns, row, strict=True))) + "\n")
        return Counter()


FORMAT = Jsonl
