"""Workbooks read back by openpyxl, or from the zip where the file itself counts (cases xl-*, ex-03, py-05)."""

import time
import zipfile
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from exports.xlsx import Xlsx, title_of, width_of
from scraper.export.format import Row, Sheet
from tests.export.shop import at


def write(file: Path, *sheets: Sheet, writer: Xlsx | None = None) -> Counter[str]:
    return (writer or Xlsx()).write(file, sheets)


def sheet(columns: tuple[str, ...], *rows: Row, kind: str = "thing") -> Sheet:
    return Sheet(kind, columns, at(1), iter(rows))


def cells(file: Path, columns: tuple[str, ...], *rows: Row) -> list[list[Any]]:
    write(file, sheet(columns, *rows))
    book = load_workbook(file)
    return [list(row) for row in book["thing"].iter_rows(min_row=2)]


def test_control_characters_are_replaced_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    rows = [("a\x0bb",), ("4\x1600",), ("x\ufffey",), ("fine",), ("a\ud800",)]
    assert write(file, sheet(("t",), *rows)) == {"control_characters": 4}
    read = [row[0] for row in load_workbook(file)["thing"].iter_rows(min_row=2, values_only=True)]
    assert read == ["a\ufffdb", "4\ufffd00", "x\ufffdy", "fine", "a\ufffd"]


def test_beyond_the_row_limit_a_next_sheet(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    write(file, sheet(("n",), *[(n,) for n in range(8)]), writer=Xlsx(max_rows=4))
    book = load_workbook(file)
    assert book.sheetnames == ["thing", "thing (2)", "thing (3)"]
    read = [list(page.iter_rows(values_only=True)) for page in book.worksheets]
    assert [rows[0] for rows in read] == [("n",)] * 3
    assert [row[0] for rows in read for row in rows[1:]] == list(range(8))
    assert [len(rows) for rows in read] == [4, 4, 3]


@pytest.mark.parametrize("rows", [3, 200, 201, 399, 400, 401])
def test_no_row_is_lost_at_the_edges_of_sample_and_sheet(tmp_path: Path, rows: int) -> None:
    for limit in (4, 201, 202, 300):
        file = tmp_path / f"{limit}.xlsx"
        write(file, sheet(("n",), *[(n,) for n in range(rows)]), writer=Xlsx(max_rows=limit))
        pages = load_workbook(file).worksheets
        read = [row[0] for page in pages for row in page.iter_rows(min_row=2, values_only=True)]
        sizes = [page.max_row for page in pages]
        assert read == list(range(rows))
        assert max(sizes) <= limit
        assert min(sizes) > 1


def test_identifiers_stay_text(tmp_path: Path) -> None:
    row: Row = ("0004006381333931", 12345678901234567890, "90.750", "+4930123", Decimal("1234567890.1234567"))
    (found,) = cells(tmp_path / "a.xlsx", tuple("abcde"), row)
    assert [cell.value for cell in found] == [
        *("0004006381333931", "12345678901234567890", "90.750", "+4930123", "1234567890.1234567")
    ]
    assert {cell.data_type for cell in found} == {"s"}


def test_text_is_never_a_formula(tmp_path: Path) -> None:
    texts = ["=1+1", "#N/A", "-", "@x", "'quoted", " spaced "]
    found = cells(tmp_path / "a.xlsx", ("t",), *[(text,) for text in texts])
    assert [row[0].value for row in found] == texts
    assert {row[0].data_type for row in found} == {"s"}


def test_numbers_and_dates_are_typed(tmp_path: Path) -> None:
    moment = datetime(2024, 5, 1, 12, 30, 5, tzinfo=UTC)
    row: Row = (Decimal("19.90"), Decimal("1E+3"), Decimal("0.125"), 7, -0.02, 1e-05, True, moment, date(2024, 5, 1))
    (found,) = cells(tmp_path / "a.xlsx", tuple("abcdefghi"), row)
    assert [cell.value for cell in found] == [
        *(19.9, 1000, 0.125, 7, -0.02, 1e-05, True, moment.replace(tzinfo=None), at(0).replace(tzinfo=None))
    ]
    assert [cell.number_format for cell in found[:3]] == ["0.00", "0.00", "0.000"]
    assert [cell.is_date for cell in found] == [False] * 7 + [True, True]
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"<v>19.90</v>" in archive.read("xl/worksheets/sheet1.xml")


def test_dates_before_excel_s_time_are_text(tmp_path: Path) -> None:
    (found,) = cells(tmp_path / "a.xlsx", ("a", "b"), (date(1234, 1, 1), datetime(1899, 1, 1, tzinfo=UTC)))
    assert [cell.value for cell in found] == ["1234-01-01", "1899-01-01T00:00:00+00:00"]


def test_nested_values_are_json_and_nothing_is_empty(tmp_path: Path) -> None:
    (found,) = cells(tmp_path / "a.xlsx", tuple("abcd"), (["a", "b"], {"w": 1}, None, "x"))
    assert [cell.value for cell in found] == ['["a","b"]', '{"w":1}', None, "x"]


def test_a_long_text_is_cut_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    rows = [("x" * 32_767,), ("x" * 32_768,), ("😀" * 20_000,)]
    assert write(file, sheet(("t",), *rows)) == {"texts_cut": 2}
    read = [row[0] for row in load_workbook(file)["thing"].iter_rows(min_row=2, values_only=True)]
    assert [len(text.encode("utf-16-le")) // 2 for text in read] == [32_767, 32_767, 32_766]


def test_what_looks_like_an_escape_is_escaped(tmp_path: Path) -> None:
    write(tmp_path / "a.xlsx", sheet(("t",), ("a_x0041_b",)))
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"a_x005F_x0041_b" in archive.read("xl/worksheets/sheet1.xml")


def test_addresses_are_text_not_links(tmp_path: Path) -> None:
    (found,) = cells(tmp_path / "a.xlsx", ("url",), ("https://shop.example/1",))
    assert found[0].value == "https://shop.example/1"
    assert found[0].hyperlink is None


def test_header_frozen_styled_filtered_and_columns_wide_enough(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    write(file, sheet(("id", "title", "text"), ("1", "A title of thirty characters!!", "x" * 200)))
    page = load_workbook(file)["thing"]
    assert page.freeze_panes == "A2"
    assert page.auto_filter.ref == "A1:C2"
    assert page["A1"].font.bold
    assert page["A1"].fill.fgColor.rgb == "00305496"
    assert [page.column_dimensions[letter].width for letter in "ABC"] == [8, 32, 60]


def test_widths_follow_the_longest_line() -> None:
    assert width_of("x", ["12345678\n1234567890", None]) == 12
    assert width_of("a heading of its own", []) == 24


def test_no_record_leaves_the_header_and_two_kinds_two_sheets(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    write(file, sheet(("a", "b"), kind="one"), sheet(("c",), ("x",), kind="two"))
    book = load_workbook(file)
    assert [list(page.iter_rows(values_only=True)) for page in book] == [[("a", "b")], [("c",), ("x",)]]


def test_titles_fit_and_are_unique() -> None:
    assert title_of("a" * 40, 1, []) == "a" * 31
    assert title_of("a" * 40, 1, ["A" * 31]) == "a" * 27 + " (2)"
    assert title_of("book", 2, ["book"]) == "book (2)"


def test_the_clock_does_not_get_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("a", 1, Decimal("2.50")), ("b", None, None)]
    write(tmp_path / "a.xlsx", sheet(("t", "n", "p"), *rows))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    time.sleep(2.1)  # a zip's clock ticks every two seconds
    write(tmp_path / "b.xlsx", sheet(("t", "n", "p"), *rows))
    monkeypatch.undo()
    time.tzset()
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    properties = load_workbook(tmp_path / "a.xlsx").properties
    assert properties.created == properties.modified == at(1).replace(tzinfo=None)


def test_a_row_that_fails_is_raised_and_nothing_else(tmp_path: Path) -> None:
    def rows():
        yield ("a",)
        raise RuntimeError("the database went away")

    with pytest.raises(RuntimeError, match="went away"):
        write(tmp_path / "a.xlsx.1.part", Sheet("thing", ("t",), at(1), rows()))


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    write(tmp_path / "a.xlsx", sheet(("t",), ("x",)))
    assert [file.name for file in tmp_path.iterdir()] == ["a.xlsx"]
