"""A page that is kept and fresh is not asked for; one that may not be believed is, and its change reaches the files."""

from collections import Counter
from pathlib import Path
from typing import Any

from sqlalchemy import select

from scraper.store.database import Database
from scraper.store.tables import FOREVER, records, versions
from tests.acceptance.books_run import run_books
from tests.invariants import broken_invariants
from tests.recompute_books import read_export, recompute
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

LISTINGS = ["/", *(f"/catalogue/page-{number}.html" for number in range(2, 51))]
OLIO = "/catalogue/olio_984/index.html"
ADDED = ("category_median_price", "price_distance", "score", "reasons")


def test_a_second_run_asks_for_the_listings_alone(after_first_run: CopiedProject, books_site: SiteServer) -> None:
    project, file = after_first_run, after_first_run.export_dir / "books-book.csv"
    before = rows_of(file)
    run = run_books(project, books_site)
    assert run.ended.code == 0, run.ended.err[-3000:]
    assert run.requests == Counter(["/robots.txt", *LISTINGS])
    assert run.ended.out.splitlines()[:5] == [
        "books: crawl 2 begins",
        "books: crawl 2 finished: 1,050 pages: 1,050 parsed",
        "books: records seen: 1,000 book",
        "books: 1,000 records, 0 enriched by category_price, 1,000 up to date",
        "books: 1,000 records, 0 scored by value, 1,000 up to date",
    ]
    assert {(no, cause) for _, no, cause in known_versions(project)} == {(1, "new")}
    assert rows_of(file) == before
    assert broken_invariants(project.database_url, project.cache_dir) == []


def test_a_changed_page_is_fetched_and_moves_its_neighbours(
    after_first_run: CopiedProject, books_site: SiteServer
) -> None:
    project, file = after_first_run, after_first_run.export_dir / "books-book.csv"
    project.change("spiders/books/__init__.py", "refresh=timedelta(days=1)", 'refresh="every_crawl"')
    page = books_site.file_of(OLIO).read_bytes()
    books_site.override(OLIO, page.replace(b"23.88", b"99.99"))
    before = rows_of(file)

    run = run_books(project, books_site)
    assert run.ended.code == 0, run.ended.err[-3000:]
    assert len(run.requests) == 1051
    assert run.requests[OLIO] == 1
    assert set(run.requests.values()) == {1}

    after = rows_of(file)
    (olio,) = [upc for upc, row in before.items() if row["title"] == "Olio"]
    assert (before[olio]["price"], after[olio]["price"]) == ("23.88", "99.99")
    assert [version for version in known_versions(project) if version[1:] != (1, "new")] == [(olio, 2, "changed")]

    poetry = {upc for upc, row in before.items() if row["category"] == "Poetry"}
    assert len(poetry) == 19
    assert {upc for upc in before if before[upc] != after[upc]} == poetry
    for upc in poetry - {olio}:
        same, moved = ({name: row[name] for name in row if name not in ADDED} for row in (before[upc], after[upc]))
        assert same == moved
        for name in ("category_median_price", "price_distance", "reasons"):
            assert before[upc][name] != after[upc][name]
    assert sum(before[upc]["score"] != after[upc]["score"] for upc in poetry) > 9  # the cheapest stay at full points
    for upc, added in recompute(list(after.values())).items():
        row = after[upc]
        assert (row["category_median_price"], row["price_distance"]) == (
            str(added.category_median_price),
            str(added.price_distance),
        )
        assert float(row["score"]) == float(added.value)

    said = run.ended.out.splitlines()
    assert "books: 1,000 records, 19 enriched by category_price, 0 up to date, 981 found unchanged" in said
    assert "books: 1,000 records, 19 scored by value, 981 up to date" in said
    assert broken_invariants(project.database_url, project.cache_dir) == []


def rows_of(file: Path) -> dict[str, dict[str, Any]]:
    """The rows of an exported file by UPC."""
    return {row["upc"]: row for row in read_export(file)}


def known_versions(project: CopiedProject) -> list[tuple[str, int, str]]:
    """UPC, number and cause of each current version."""
    query = select(records.c.key, versions.c.no, versions.c.cause).join(versions, versions.c.record_id == records.c.id)
    database = Database(project.database_url)
    with database.read() as connection:
        found = [
            (key.strip('[]"'), no, cause)
            for key, no, cause in connection.execute(query.where(versions.c.valid_to == FOREVER))
        ]
    database.close()
    return found
