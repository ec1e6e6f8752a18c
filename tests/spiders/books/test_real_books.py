"""The real pages of books.toscrape.com become the thousand records that are known to be right."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from scraper.models import Link, Page
from scraper.parser import parsers_of
from scraper.sites import load_site
from spiders.books.models import WORDS, Book

SITE = load_site("books")


def read_page(folder: Path, path: str) -> Page:
    return Page(url=f"{SITE.origin}{path}", body=(folder / (path or "index.html")).read_bytes(), locale=SITE.locale)


@pytest.fixture(scope="module")
def books(shared: Path) -> list[Book]:
    folder = shared / "sites" / "books"
    paths = sorted(file.relative_to(folder).as_posix() for file in folder.glob("catalogue/*/index.html"))
    parser = parsers_of(SITE)["book"]
    found = [value for path in paths for value in parser.run(read_page(folder, path))]
    assert all(isinstance(value, Book) for value in found), [value for value in found if not isinstance(value, Book)][
        :3
    ]
    return found  # type: ignore[return-value]


def test_a_thousand_books(books: list[Book]) -> None:
    assert len(books) == 1000
    assert len({book.upc for book in books}) == 1000
    assert len({book.title for book in books}) == 999
    assert sum(book.description is None for book in books) == 2


def test_they_are_what_our_own_crawl_saw(books: list[Book], shared: Path) -> None:
    rows = (shared / "sites" / "books-truth" / "products.crawled.jsonl").read_text("utf-8").splitlines()
    truth = {
        row["upc"]: (
            SITE.origin + row["url"],
            " ".join(row["title"].split()),
            row["price"],
            row["stock"],
            row["rating"],
            row["category"],
            row["reviews"],
        )
        for row in map(json.loads, rows)
    }
    assert {
        book.upc: (
            book.url,
            book.title,
            f"£{book.price}",
            f"In stock ({book.stock} available)",
            f"star-rating {WORDS[book.rating - 1]}",
            book.category,
            str(book.reviews),
        )
        for book in books
    } == truth
    assert {book.currency for book in books} == {"GBP"}


def test_they_are_what_somebody_else_saw_in_2020(books: list[Book], shared: Path) -> None:
    with (shared / "sites" / "books-truth" / "book_details.2020.csv").open(encoding="latin-1", newline="") as file:
        truth = {
            row["UPC"]: (row["price include tax"], row["availability"], row["rating"]) for row in csv.DictReader(file)
        }
    assert {
        book.upc: (f"£{book.price}", f"In stock ({book.stock} available)", str(book.rating)) for book in books
    } == truth


def test_the_listing_leads_to_every_book_and_ends(shared: Path) -> None:
    parser = parsers_of(SITE)["listing"]
    folder = shared / "sites" / "books"
    seen: Counter[str] = Counter()
    found: set[str] = set()
    waiting = [""]
    while waiting:
        path = waiting.pop()
        seen[path] += 1
        page = read_page(folder, path)
        for link in parser.run(page):
            assert isinstance(link, Link)
            target = str((Path("/catalogue") if path else Path("/")) / link.url).removeprefix("/")
            if link.page_type == "book":
                found.add(target)
            else:
                waiting.append(target)
    assert (len(seen), seen.most_common(1)[0][1]) == (50, 1), "home stands for page 1"
    assert len(found) == 1000
    assert all((folder / path).is_file() for path in found)
