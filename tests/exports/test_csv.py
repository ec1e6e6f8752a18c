"""CSV read back by Python's own reader (cases cs-03, cs-05, ex-03)."""

import csv
from pathlib import Path

from exports.csv import Csv
from scraper.export.format import Row, Sheet
from tests.export.shop import at


def written(file: Path, columns: tuple[str, ...], *rows: Row, writer: Csv | None = None) -> list[list[str]]:
    file.unlink(missing_ok=True)
    (writer or Csv()).write(file, [Sheet("thing", columns, at(1), iter(rows))])
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def test_line_breaks_and_quotes_stay_in_their_cell(tmp_path: Path) -> None:
    texts = ["a\nb", "c\r\nd", 'e\rf"g', "h,i;j\tk", "ä £ 😀"]
    file = tmp_path / "a.csv"
    assert written(file, ("t",), *[(text,) for text in texts]) == [["t"], *[[text] for text in texts]]
    assert b"\r\r\n" not in file.read_bytes()


def test_excel_is_told_that_it_is_utf8(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    written(file, ("t",), ("ä",))
    assert file.read_bytes() == b"\xef\xbb\xbft\r\n\xc3\xa4\r\n"
    written(file, ("t",), ("ä",), writer=Csv(bom=False))
    assert file.read_bytes() == b"t\r\n\xc3\xa4\r\n"


def test_no_record_leaves_the_header(tmp_path: Path) -> None:
    assert written(tmp_path / "a.csv", ("a", "b")) == [["a", "b"]]


def test_the_guard_is_asked_for_and_leaves_numbers_alone(tmp_path: Path) -> None:
    row: Row = (-0.02, "-1250.5", "+49 30 1", "=1+1", "@x", "-", "plain", ["=x"])
    columns = tuple("abcdefgh")
    assert written(tmp_path / "a.csv", columns, row)[1] == [
        *("-0.02", "-1250.5", "+49 30 1", "=1+1", "@x", "-", "plain", '["=x"]')
    ]
    assert written(tmp_path / "b.csv", columns, row, writer=Csv(guard=True))[1] == [
        *("-0.02", "-1250.5", "'+49 30 1", "'=1+1", "'@x", "'-", "plain", '["=x"]')
    ]
    sheet = Sheet("thing", columns, at(1), iter([row]))
    assert Csv(guard=True).write(tmp_path / "c.csv", [sheet]) == {"formulas_guarded": 4}
