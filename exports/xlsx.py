"""Excel workbooks for people: a sheet a kind, typed numbers and dates, text that is never a formula."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

from lxml.etree import SerialisationError  # type: ignore[import-untyped]  # lxml ships no types
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._writer import ALL_TEMP_FILES, WorksheetWriter
from openpyxl.writer.excel import ExcelWriter

from scraper.errors import WrongUsage
from scraper.export.dated_zip import DatedZip
from scraper.export.excel_cell import cell_of
from scraper.export.format import Format, Row, Sheet
from scraper.export.value import Value, text_of

SAMPLE = 200
"""Rows whose text decides the widths: widths stand before the rows in the file, so all rows would have to be held."""
MOST_ROWS = 1_048_576
NARROWEST, WIDEST = 8, 60
_HEADER_FONT = Font(bold=True, color="FFFFFF")
_HEADER_FILL = PatternFill("solid", fgColor="305496")


@dataclass(frozen=True)
class Xlsx(Format):
    """One workbook for all kinds. It holds no link objects: addresses are text, so Excel's limit on links is far."""

    suffix: ClassVar[str] = "xlsx"
    together: ClassVar[bool] = True

    max_rows: int = MOST_ROWS
    """Rows of a sheet, header included; what is beyond goes on a next sheet, header repeated."""

    def __post_init__(self) -> None:
        if not 2 <= self.max_rows <= MOST_ROWS:
            raise WrongUsage(f"xlsx.max_rows={self.max_rows}: a sheet has 2 to {MOST_ROWS:,} rows")

    def write(self, path: Path, sheets: Sequence[Sheet]) -> Counter[str]:
        """Write the workbook; each sheet is unpacked in a file beside `path` until it is whole."""
        replaced: Counter[str] = Counter()
        as_of = sheets[0].as_of.astimezone(UTC)
        book = Workbook(write_only=True)
        book.properties.creator = "scraper"
        book.properties.created = book.properties.modified = as_of.replace(tzinfo=None, microsecond=0)
        try:
            with _closing_sheets(book):
                for sheet in sheets:
                    self._write_kind(book, sheet, path, replaced)
                with DatedZip(path, as_of) as archive:
                    ExcelWriter(book, archive).write_data()
        except SerialisationError as error:  # what lxml makes of a full disk: `IO_ENOSPC`
            code = getattr(errno, str(error).removeprefix("IO_"), errno.EIO)
            raise OSError(code, os.strerror(code), str(path)) from error
        return replaced

    def _write_kind(self, book: Workbook, sheet: Sheet, path: Path, replaced: Counter[str]) -> None:
        rows = iter(sheet.rows)
        number = 1
        head = list(islice(rows, SAMPLE))
        while head or number == 1:
            now, later = head[: self.max_rows - 1], head[self.max_rows - 1 :]
            page = book.create_sheet(title_of(sheet.kind, number, book.sheetnames))
            self._lay_out(page, sheet.columns, now, path.with_name(f"{path.name}.sheet{len(book.sheetnames)}.part"))
            page.append([_heading(page, name) for name in sheet.columns])
            count = 1
            for row in chain(now, islice(rows, self.max_rows - 1 - len(now))):
                page.append([cell_of(page, value, replaced) for value in row])
                count += 1
            page.auto_filter.ref = f"A1:{get_column_letter(max(1, len(sheet.columns)))}{count}"
            page.close()
            head = later or list(islice(rows, SAMPLE))
            number += 1

    @staticmethod
    def _lay_out(page: Any, columns: Sequence[str], sample: Sequence[Row], unpacked: Path) -> None:
        """What stands before the rows: widths and the frozen header. Then open the sheet's own file.

        openpyxl would unpack it in the system's folder for temporary files, which may be small, and where a kill
        would leave it.
        """
        page.freeze_panes = "A2"
        for at, name in enumerate(columns):
            page.column_dimensions[get_column_letter(at + 1)].width = width_of(name, [row[at] for row in sample])
        ALL_TEMP_FILES.append(str(unpacked))
        page._writer = WorksheetWriter(page, out=str(unpacked))
        page._writer.write_top()


@contextmanager
def _closing_sheets(book: Workbook) -> Iterator[None]:
    """After a failure, close the sheets that are still open: their files would stay open otherwise."""
    try:
        yield
    except BaseException:
        for page in book.worksheets:
            if not page.closed:
                page.close()
        raise


def title_of(kind: str, number: int, taken: Sequence[str]) -> str:
    """A sheet's title: Excel takes 31 characters, each title once whatever its case."""
    used = {title.lower() for title in taken}
    while True:
        tail = f" ({number})" if number > 1 else ""
        title = f"{kind[: 31 - len(tail)]}{tail}"
        if title.lower() not in used:
            return title
        number += 1


def width_of(name: str, values: Sequence[Value]) -> int:
    """The width of a column in characters, by its heading (with room for the filter's arrow) and the sample."""
    longest = max((len(line) for value in values for line in text_of(value).splitlines()), default=0)
    return min(max(longest + 2, len(name) + 4, NARROWEST), WIDEST)


def _heading(page: Any, name: str) -> Any:
    cell = WriteOnlyCell(page, name)
    cell.data_type = "s"
    cell.font, cell.fill = _HEADER_FONT, _HEADER_FILL
    return cell


FORMAT = Xlsx
