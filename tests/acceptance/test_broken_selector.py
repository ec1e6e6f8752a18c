"""A selector that no longer fits: the crawl says what is lost and what to type, and the mended parser heals it all."""

import json
import re
from collections import Counter
from pathlib import Path

from sqlalchemy import func, select

from scraper.store.database import Database
from scraper.store.tables import FOREVER, drops, urls, versions
from tests.command_line import Completed
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

PARSER = "spiders/books/parsers/book.py"
WORKS = """"price": one(css=".product_main .price_color", xpath="//th[.='Price (incl. tax)']"""
BROKEN = """"price": one(css=".product_main .cost", xpath="//th[.='Cost']"""
ERROR = re.compile(
    r"error parse/parse: price: wanted one, found 0 "
    r"\(css \.product_main \.cost; xpath //th\[\.='Cost'\]/following-sibling::td\); "
    r"see: scrapy (page books https://books\.toscrape\.com/\S+)$",
    re.MULTILINE,
)
LISTINGS = ["/", *(f"/catalogue/page-{number}.html" for number in range(2, 51))]


def test_a_thousand_books_without_a_price(after_first_run: CopiedProject, books_site: SiteServer) -> None:
    project, file = after_first_run, after_first_run.export_dir / "books-book.csv"
    good = file.read_bytes()

    project.change(PARSER, WORKS, BROKEN)
    crawl = project.scrapy("crawl", "books", "-s", "DOWNLOAD_DELAY=0")
    assert books_site.requests == Counter(["/robots.txt", *LISTINGS])  # the books are kept, and fresh
    errors = ERROR.findall(crawl.err)
    assert len(errors) == len(set(errors)) == 1000
    assert statuses(project) == {("listing", "parsed", None): 50, ("book", "error", "price"): 1000}
    assert broken_invariants(project.database_url, project.cache_dir) == []

    last = crawl.out.splitlines()[-4:]
    assert last[0] == "books/book: price 0 of 1,000 (was 1,000)"
    look = re.fullmatch(r"look: scrapy (try books book https://books\.toscrape\.com/\S+)", last[1])
    assert look is not None
    assert last[2] == "then mend the parser and type: scrapy reparse books --errors"
    assert last[3] == "books: promise broken: records: 0, promised at least 950"
    assert crawl.code == 1

    check_that_typing_it_helps(project, errors[0], look[1])
    check_that_nothing_is_published(project, file, good)

    project.change(PARSER, BROKEN, WORKS)
    books_site.stop()
    reparse = project.scrapy("reparse", "books", "--errors")
    assert (reparse.code, reparse.err) == (0, "")
    assert reparse.out == "books: 1,000 kept pages read, 1,000 records, 0 pages in error\n"
    assert statuses(project) == {("listing", "parsed", None): 50, ("book", "parsed", None): 1000}
    assert current_causes(project) == {(1, "new"): 1000}  # the same books, so no version was made
    assert broken_invariants(project.database_url, project.cache_dir) == []

    done = project.scrapy("export", "books")
    assert done.code == 0, done
    assert file.read_bytes() == good
    said = json.loads(file.with_name(f"{file.name}.manifest.json").read_text(encoding="utf-8"))
    assert (said["result"], said["records"], said["crawl"]["no"]) == ("published", 1000, 2)
    assert broken_invariants(project.database_url, project.cache_dir) == []


def check_that_typing_it_helps(project: CopiedProject, page: str, attempt: str) -> None:
    """The commands that the messages name work: the kept page has the price, the parser is told what it lacks."""
    kept = project.scrapy(*page.split())
    assert kept.code == 0, kept
    assert 'class="price_color">£' in Path(kept.out.strip()).read_text(encoding="utf-8")
    tried = project.scrapy(*attempt.split(), "--json")
    assert tried.code == 1, tried
    assert "wanted one, found 0 (css .product_main .cost" in tried.out


def check_that_nothing_is_published(project: CopiedProject, file: Path, good: bytes) -> None:
    """Yesterday's thousand live on, but they are not what this crawl found: the last good file stays."""
    held: Completed = project.scrapy("export", "books")
    assert held.code == 4, held
    assert "held back: promise broken: records: 0, promised at least 950" in held.out.splitlines()
    assert file.read_bytes() == good
    assert current_causes(project) == {(1, "new"): 1000}


def test_broken_in_the_first_crawl(small: CopiedProject, small_site: SiteServer) -> None:
    small.change(PARSER, WORKS, BROKEN)
    crawl = small.scrapy("crawl", "books", "-a", f"base={small_site.url}", "-s", "DOWNLOAD_DELAY=0")
    assert crawl.code == 1
    assert "books/book: price 0 of 60" in crawl.out.splitlines()
    assert current_causes(small) == {}
    assert broken_invariants(small.database_url, small.cache_dir) == []

    small.change(PARSER, BROKEN, WORKS)
    small_site.forget()
    reparse = small.scrapy("reparse", "books", "--errors")
    assert (reparse.code, reparse.out) == (0, "books: 60 kept pages read, 60 records, 0 pages in error\n")
    assert not small_site.requests
    assert current_causes(small) == {(1, "new"): 60}
    assert broken_invariants(small.database_url, small.cache_dir) == []


def statuses(project: CopiedProject) -> Counter[tuple[str, str, str | None]]:
    """How many pages there are by page type, status and refused field; an open drop is no more than a page's."""
    open_drop = (drops.c.url_id == urls.c.id) & drops.c.cleared_at.is_(None)
    query = select(urls.c.page_type, urls.c.status, drops.c.field).outerjoin(drops, open_drop)
    database = Database(project.database_url)
    with database.read() as connection:
        found = Counter(tuple(row) for row in connection.execute(query))
    database.close()
    return found


def current_causes(project: CopiedProject) -> dict[tuple[int, str], int]:
    """How many current versions there are by number and cause."""
    query = select(versions.c.no, versions.c.cause, func.count()).where(
        versions.c.valid_to == FOREVER, versions.c.state == "live"
    )
    database = Database(project.database_url)
    with database.read() as connection:
        found = {(no, cause): count for no, cause, count in connection.execute(query.group_by("no", "cause"))}
    database.close()
    return found
