"""One command makes of the kept shop 1,000 right records and three finished files, on either engine."""

import csv
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from sqlalchemy import func, select

from scraper.settings import PROJECT_DIR
from scraper.store.clock import iso
from scraper.store.database import Database
from scraper.store.tables import FOREVER, fetches, versions
from tests.acceptance.books_run import BooksRun, run_books
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject, copy_project

FILES = ("books-book.csv", "books.xlsx", "books-book.jsonl")
COLUMNS = [
    *("upc", "title", "price", "currency", "stock", "rating", "category", "description", "reviews", "url"),
    *("category_median_price", "price_distance", "score", "reasons"),
]
NUMBERS = {"price", "stock", "rating", "reviews", "category_median_price", "price_distance", "score"}
WORDS = {"One": 1, "Two": 2, "Three": 3, "Four": 4, "Five": 5}
NAMED = {
    "a897fe39b1053632": "A Light in the Attic",
    "feb7cc7701ecf901": "Olio",
    "30a7f60cd76ca58c": "Shakespeare's Sonnets",
    "b228042c088b1913": "The Crossover",  # the median itself
    "657fe5ead67a7767": "Untitled Collection: Sabbath Poems 2014",
    "b4fd5943413e089a": "Slow States of Collapse: Poems",
    "f9705c362f070608": "See America: A Celebration of Our National Parks & Treasured Sites",
    "747cf7fca2ccdbd4": "Neither Here nor There: Travels in Europe",
    "228ba5e7577e1d49": "1,000 Places to See Before You Die",
    "efc3768127714ec3": (  # no description
        "The Bridge to Consciousness: I'm Writing the Bridge Between Science and Our Old and New Beliefs."
    ),
    "cd2a2a70dd5d176d": "Alice in Wonderland (Alice's Adventures in Wonderland #1)",  # none either, and the worst score
    "ce6396b0f23f6ecc": "Set Me Free",  # the best score
    "abeafe151a587d3b": "The Long Shadow of Small Ghosts: Murder and Memory in an American City",  # alone on its shelf
    "88c21fcd38e2486e": "Dark Notes",
    "a34ba96d4081e6a4": "Rip it Up and Start Again",
    "00bfed9e18bb36f3": "Black Dust",
    "3ecb690d1542c568": "When We Collided",
    "8682c03de6a844ff": "A Man Called Ove",
    "f77dbf2323deb740": "The Requiem Red",
    "825d6c44da3ca5a6": "Lab Girl",
}


@pytest.fixture(params=["sqlite", "mariadb"])
def books_run(request: pytest.FixtureRequest, tmp_path: Path) -> BooksRun:
    """The run, once on each engine."""
    if request.param == "sqlite":
        found = request.getfixturevalue("first_run")
        assert isinstance(found, BooksRun)
        return found
    project = CopiedProject(tmp_path, request.getfixturevalue("fresh_mariadb"), home=copy_project(tmp_path))
    return run_books(project, request.getfixturevalue("books_site"))


def test_the_whole_way(books_run: BooksRun, shared: Path, subtests: pytest.Subtests) -> None:
    project, folder = books_run.project, books_run.project.export_dir
    assert books_run.ended.code == 0, books_run.ended.err[-3000:]
    rows = read_rows(folder / "books-book.jsonl")
    with subtests.test("it asks each page once, and no page that nobody links to"):
        assert sum(books_run.requests.values()) <= 1055
        assert books_run.requests == Counter(wanted_paths(shared / "sites" / "books"))
    with subtests.test("1,000 books"):
        assert len(rows) == 1000
        assert len({row["upc"] for row in rows}) == 1000
        assert len({row["title"] for row in rows}) == 999
        assert sum(row["description"] is None for row in rows) == 2
        assert {row["currency"] for row in rows} == {"GBP"}
    seen = {row["upc"]: (Decimal(row["price"]), row["stock"], row["rating"]) for row in rows}
    for truth in (truth_of_2020, truth_of_our_own_crawl):
        with subtests.test("price, stock and rating", truth=truth.__name__):
            assert seen == truth(shared / "sites" / "books-truth")
    with subtests.test("what is added to 20 named books, by a separate program"):
        assert {row["upc"]: row["title"] for row in rows if row["upc"] in NAMED} == NAMED
        assert added_to(rows) == recomputed(folder / "books-book.csv")
    with subtests.test("three files, the same rows and columns"):
        csv_, xlsx, jsonl = (read_rows(folder / name) for name in FILES)
        assert list(csv_[0]) == list(xlsx[0]) == list(jsonl[0]) == COLUMNS
        assert [plain(row) for row in csv_] == [plain(row) for row in jsonl]
        assert [plain(row) for row in xlsx] == [plain(row) for row in jsonl]
    for name in FILES:
        with subtests.test("the manifest is right when recomputed", file=name):
            check_manifest(project, folder / name)
    with subtests.test("every invariant"):
        assert broken_invariants(project.database_url, project.cache_dir) == []


def test_it_says_what_it_did(first_run: BooksRun) -> None:
    folder = first_run.project.export_dir
    said = first_run.ended.out.splitlines()
    assert said[:3] == [
        "books: crawl 1 begins",
        "books: crawl 1 finished: 1,050 pages: 1,050 parsed",
        "books: records seen: 1,000 book",
    ]
    assert [line.partition(": 1,000 records, ")[0] for line in said[-4:-1]] == [str(folder / name) for name in FILES]
    assert said[-1] == f"next: less '{folder / 'books-book.jsonl.manifest.json'}'"
    assert "Traceback" not in first_run.ended.err


def wanted_paths(folder: Path) -> Iterator[str]:
    """robots.txt, the fifty listing pages and the thousand books; the home page is the first listing page."""
    yield "/robots.txt"
    yield "/"
    yield from (f"/catalogue/page-{number}.html" for number in range(2, 51))
    yield from (f"/{file.relative_to(folder).as_posix()}" for file in folder.glob("catalogue/*_*/index.html"))


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of an exported file as its readers see them."""
    if file.suffix == ".xlsx":
        book = load_workbook(file, read_only=True)
        assert book.sheetnames == ["book"]
        heading, *rows = book["book"].iter_rows(values_only=True)
        book.close()
        return [dict(zip(heading, row, strict=True)) for row in rows]
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return [json.loads(line) for line in lines] if file.suffix == ".jsonl" else list(csv.DictReader(lines))


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row of any format in one form: exact numbers, texts, and nothing for a blank."""
    return {name: _plain(name, value) for name, value in row.items()}


def _plain(name: str, value: Any) -> Any:
    if value in (None, ""):
        return None
    if name in NUMBERS:
        return Decimal(str(value))
    if name == "reasons":
        return value if isinstance(value, list) else json.loads(value)
    return value


def truth_of_2020(folder: Path) -> dict[str, tuple[Decimal, int, int]]:
    """Somebody else's table of the shop, by UPC."""
    with (folder / "book_details.2020.csv").open(encoding="latin-1", newline="") as lines:
        return {
            row["UPC"]: (
                Decimal(row["price include tax"].lstrip("£")),
                _copies(row["availability"]),
                int(row["rating"]),
            )
            for row in csv.DictReader(lines)
        }


def truth_of_our_own_crawl(folder: Path) -> dict[str, tuple[Decimal, int, int]]:
    """What was read from the kept pages when they were kept, by UPC."""
    with (folder / "products.crawled.jsonl").open(encoding="utf-8") as lines:
        return {
            row["upc"]: (
                Decimal(row["price"].lstrip("£")),
                _copies(row["stock"]),
                WORDS[row["rating"].removeprefix("star-rating ")],
            )
            for row in map(json.loads, lines)
        }


def _copies(text: str) -> int:
    return int(text.removeprefix("In stock (").removesuffix(" available)"))


def added_to(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What the run added to the named books."""
    return {
        row["upc"]: [
            row["category_median_price"],
            row["price_distance"],
            str(Decimal(str(row["score"])).normalize()),
            *row["reasons"],
        ]
        for row in rows
        if row["upc"] in NAMED
    }


def recomputed(file: Path) -> dict[str, list[str]]:
    """The same by the other program, which shares no line with ours."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(PROJECT_DIR / "tests" / "recompute_books.py"), str(file), *NAMED],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    found = {}
    for line in done.stdout.splitlines():
        upc, median, distance, value, *reasons = line.split("\t")
        found[upc] = [median, distance, str(Decimal(value).normalize()), *reasons]
    return found


def check_manifest(project: CopiedProject, file: Path) -> None:
    """What the manifest says, computed again from file and database."""
    content = file.read_bytes()
    said = json.loads(file.with_name(f"{file.name}.manifest.json").read_text(encoding="utf-8"))
    rows = read_rows(file)
    database = Database(project.database_url)
    with database.read() as connection:
        current = select(versions).where(versions.c.valid_to == FOREVER).subquery()
        first, last = connection.execute(
            select(func.min(fetches.c.at), func.max(fetches.c.at)).join(current, current.c.fetch_id == fetches.c.id)
        ).one()
        [schema] = connection.execute(select(current.c.schema_version).distinct()).scalars()
    database.close()
    assert said["records"] == len(rows) == 1000
    assert said["kinds"] == {"book": len(rows)}
    assert said["columns"] == list(rows[0])
    assert said["bytes"] == len(content)
    assert said["sha256"] == hashlib.sha256(content).hexdigest()
    assert (said["first_fetch"], said["last_fetch"]) == (iso(first), iso(last))
    assert said["schema_version"] == schema
    assert (said["crawl"]["no"], said["crawl"]["state"]) == (1, "finished")
    assert (said["result"], said["stable"]) == ("published", file.name)
    dated = file.with_name(said["file"])
    assert dated != file
    assert dated.read_bytes() == content
