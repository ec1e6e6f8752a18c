"""The second program reads what exports write, and agrees with the example in docs/books.md."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

from tests.recompute_books import read_export, recompute

CSV = """upc,title,price,currency,stock,rating,category,description
a,Poems,51.77,GBP,22,5,Poetry,Words.
b,More,20.39,GBP,0,1,Poetry,
c,Far,1.00,GBP,3,2,Travel,"Two
lines"
"""
JSONL = """{"upc":"a","price":"51.77","currency":"GBP","stock":22,"rating":5,"category":"Poetry","description":"Words."}
{"upc":"b","price":"20.39","currency":"GBP","stock":0,"rating":1,"category":"Poetry","description":null}
{"upc":"c","price":"1.00","currency":"GBP","stock":3,"rating":2,"category":"Travel","description":"Two\\nlines"}
"""


def test_from_csv_and_jsonl(tmp_path: Path) -> None:
    csv_file, jsonl_file = tmp_path / "books-book.csv", tmp_path / "books-book.jsonl"
    csv_file.write_text("\ufeff" + CSV, encoding="utf-8", newline="")
    jsonl_file.write_text(JSONL, encoding="utf-8")
    again = recompute(read_export(csv_file))
    assert again == recompute(read_export(jsonl_file))
    assert again["a"].category_median_price == Decimal("36.08")
    assert again["a"].reasons == (
        "rating 5 of 5: +40",
        "22 in stock: +20",
        "price 51.77 is 15.69 above the category's median 36.08: +2",
        "has a description: +10",
    )
    assert again["b"].reasons[-1] == "has no description: +0"
    assert again["c"].value == Decimal("44.0")


def test_for_named_books(tmp_path: Path) -> None:
    file = tmp_path / "books-book.csv"
    file.write_text(CSV, encoding="utf-8")
    program = Path(__file__).parents[2] / "recompute_books.py"
    shown = subprocess.run([sys.executable, program, file, "b", "a"], capture_output=True, text=True, check=True).stdout
    assert [line.split("\t")[0] for line in shown.splitlines()] == ["b", "a"]
