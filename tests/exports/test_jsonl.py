"""JSON lines read back by a strict reader (cases js-01, js-03, ex-03)."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from exports.jsonl import Jsonl
from scraper.export.format import Row, Sheet
from tests.export.shop import at


def written(file: Path, columns: tuple[str, ...], *rows: Row) -> bytes:
    Jsonl().write(file, [Sheet("thing", columns, at(1), iter(rows))])
    return file.read_bytes()


def test_every_line_has_all_columns_in_order(tmp_path: Path) -> None:
    text = written(tmp_path / "a.jsonl", ("z", "a", "n"), ("1\n2", Decimal("19.90"), None), ("\u2028", None, 2))
    assert text.decode() == '{"z":"1\\n2","a":"19.90","n":null}\n{"z":"\u2028","a":null,"n":2}\n'
    assert [list(json.loads(line)) for line in text.split(b"\n")[:-1]] == [["z", "a", "n"]] * 2


def test_no_record_no_byte(tmp_path: Path) -> None:
    assert written(tmp_path / "a.jsonl", ("a",)) == b""


def test_what_json_cannot_hold_never_gets_in(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        written(tmp_path / "a.jsonl", ("a",), (1,), (float("nan"),))
    assert (tmp_path / "a.jsonl").read_text() == '{"a":1}\n'
