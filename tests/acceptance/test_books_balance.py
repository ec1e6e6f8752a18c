"""A listing's links and its own status appear together or not at all, and the pages of a crawl always add up."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select, text

from scraper.monitor.look import look
from scraper.store.database import Database
from scraper.store.schema import open_database
from scraper.store.tables import fetches, urls
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

LISTINGS = ("/", "/catalogue/page-2.html", "/catalogue/page-3.html")
GIVEN = {"https://books.toscrape.com" + path: links for path, links in zip(LISTINGS, (21, 21, 20), strict=True)}
"""How many links each listing gives: twenty books, and the next page where there is one."""
COUNTS = ("parsed", "fetched", "error", "pending", "in_progress")
FAST = ("-s", "DOWNLOAD_DELAY=0")

# One statement sees one snapshot on both engines.
LOOK = """
    SELECT u.url, u.status,
        (SELECT COUNT(*) FROM links l JOIN urls t ON t.id = l.to_id WHERE l.from_id = u.id) AS linked,
        (SELECT COUNT(*) FROM urls t WHERE t.discovered_from = u.id) AS found
    FROM urls u WHERE u.page_type = 'listing'"""
Seen = set[tuple[str, str, int, int]]


@contextmanager
def watched(database: Database) -> Iterator[Seen]:
    """All that a bystander, who looks as often as he can, sees of listings: address, status, links, pages found."""
    seen: Seen = set()
    over = threading.Event()

    def watch() -> None:
        ended = False
        while not ended:
            ended = over.wait(0.002)  # one look more after the end
            seen.update(looked_at(database))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def test_links_and_status_appear_together(small_on: CopiedProject, small_site: SiteServer) -> None:
    for path in LISTINGS:
        small_site.override(path, *_body(small_site, path), delay=0.3)  # long enough to be seen at work
    database = open_database(small_on.database_url)
    with watched(database) as seen:
        crawl = small_on.scrapy("crawl", "books", "-a", f"base={small_site.url}", *FAST)
    assert crawl.code == 0, crawl.err[-3000:]
    done = {(url, "parsed", links, links) for url, links in GIVEN.items()}
    before = {(url, status, 0, 0) for url in GIVEN for status in ("pending", "in_progress", "fetched")}
    assert seen <= done | before
    assert done <= seen
    assert {(url, "in_progress", 0, 0) for url in GIVEN} <= seen
    assert broken_invariants(small_on.database_url, small_on.cache_dir) == []
    database.close()


def _body(site: SiteServer, path: str) -> tuple[bytes, ...]:
    """What the listing says on the small site, for an override that only waits."""
    if path != LISTINGS[-1]:
        return ()
    return (site.file_of(path).read_bytes().replace(b'<li class="next">', b"<li>"),)


def test_killed_between_links_and_status(small_on: CopiedProject, small_site: SiteServer) -> None:
    database = open_database(small_on.database_url)
    base = ("-a", f"base={small_site.url}")

    killed = small_on.scrapy("crawl", "books", *base, *FAST, env={"SCRAPER_CUT_POINT": "unit:inside"})
    assert killed.code == -9
    (home, *others) = pages(database)
    assert (home["status"], others) == ("fetched", [])
    assert looked_at(database) == {("https://books.toscrape.com/", "fetched", 0, 0)}

    one = small_on.scrapy("crawl", "books", "-a", "limit=1", *FAST)
    assert one.code == 0, one.err[-3000:]
    assert "1 of 1 left" in one.out.splitlines()[0]
    assert looked_at(database) == {
        ("https://books.toscrape.com/", "parsed", 21, 21),
        ("https://books.toscrape.com/catalogue/page-2.html", "pending", 0, 0),
    }

    again = small_on.scrapy("crawl", "books", *FAST, env={"SCRAPER_CUT_POINT": "unit:inside"})
    assert again.code == -9
    assert len(pages(database)) == 22
    assert {(status, linked) for _, status, linked, _ in looked_at(database)} <= {
        ("parsed", 21),
        ("pending", 0),
        ("in_progress", 0),
        ("fetched", 0),
    }

    last = small_on.scrapy("crawl", "books", *FAST)
    assert last.code == 0, last.err[-3000:]
    assert "21 of 22 left" in last.out.splitlines()[0]
    assert looked_at(database) == {(url, "parsed", links, links) for url, links in GIVEN.items()}
    asked_twice_at_most_while_a_kill_hit_the_answer(database, small_site)
    assert broken_invariants(small_on.database_url, small_on.cache_dir) == []
    database.close()


def asked_twice_at_most_while_a_kill_hit_the_answer(database: Database, site: SiteServer) -> None:
    """No kept page was asked for again: a page asked for twice had no row of its first answer when the kill came."""
    with database.read() as connection:
        kept = Counter(connection.execute(select(fetches.c.url_id)).scalars())
    assert set(kept.values()) == {1}
    assert len(kept) == 63
    assert site.requests["/"] == 1
    assert max(count for path, count in site.requests.items() if path != "/robots.txt") <= 2


def looked_at(database: Database) -> Seen:
    """What a bystander sees of listings now."""
    with database.read() as connection:
        return {tuple(row) for row in connection.execute(text(LOOK))}


def pages(database: Database) -> list[dict[str, Any]]:
    """The rows of the queue, in the order they came."""
    with database.read() as connection:
        return [dict(row) for row in connection.execute(select(urls).order_by(urls.c.id)).mappings()]


def test_it_adds_up_in_the_middle_of_a_crawl(small: CopiedProject, small_site: SiteServer) -> None:
    limited = small.scrapy("crawl", "books", "-a", f"base={small_site.url}", "-a", "limit=10", *FAST)
    assert limited.code == 0, limited.err[-3000:]
    now = status(small)
    assert (now["state"], now["parsed"], now["in_progress"], now["error"]) == ("open", 10, 0, 0)
    assert now["pending"] > 10
    assert sum(small_site.requests.values()) == 11

    small_site.delay = 1.0
    crawl = small.start("crawl", "books", *FAST)
    seen = []
    while crawl.poll() is None:
        seen.append(now := status(small))
        if now["in_progress"] and now["pending"]:
            small_site.delay = 0.0  # it was seen at work, and may end
    out, _ = crawl.communicate()
    assert crawl.returncode == 0, out[-3000:]
    assert any(now["in_progress"] and now["pending"] and now["state"] == "open" for now in seen)

    now = status(small)
    assert (now["state"], now["discovered"], now["parsed"]) == ("finished", 63, 63)
    assert broken_invariants(small.database_url, small.cache_dir) == []


def test_discover_then_fetch_then_parse(small: CopiedProject, small_site: SiteServer) -> None:
    base = ("-a", f"base={small_site.url}")
    assert small.scrapy("crawl", "books", *base, "-a", "only=discover", *FAST).code == 0
    database = Database(small.database_url)
    now = balanced(look(database, "books").as_json())
    assert (now["state"], now["pages"]["listing"]["parsed"], now["pages"]["book"]["pending"]) == ("open", 3, 60)
    assert small_site.requests == Counter(["/robots.txt", *LISTINGS])
    assert broken_invariants(small.database_url, small.cache_dir) == []

    small_site.forget()
    assert small.scrapy("crawl", "books", "-a", "only=fetch", "-a", "limit=25", *FAST).code == 0
    assert fetched(database, balanced(look(database, "books").as_json())) == 25
    assert small.scrapy("crawl", "books", "-a", "only=fetch", *FAST).code == 0
    assert fetched(database, balanced(look(database, "books").as_json())) == 60
    del small_site.requests["/robots.txt"]
    assert sorted(small_site.requests.values()) == [1] * 60
    assert broken_invariants(small.database_url, small.cache_dir) == []

    small_site.forget()
    assert small.scrapy("crawl", "books", "-a", "limit=30", *FAST).code == 0
    now = balanced(look(database, "books").as_json())
    assert (now["pages"]["book"]["parsed"], now["pages"]["book"]["pending"]) == (30, 30)
    assert not small_site.requests

    damaged = next(page for page in pages(database) if page["status"] == "pending")
    file = kept_file(small, database, damaged["fetch_id"])
    file.write_bytes(file.read_bytes()[:-10])
    last = small.scrapy("crawl", "books", *FAST)
    assert last.code == 0, last.err[-3000:]
    path = damaged["url"].removeprefix("https://books.toscrape.com")
    assert small_site.requests == Counter(["/robots.txt", path])  # what could not be read is asked for, and no other
    now = balanced(look(database, "books").as_json())
    assert (now["state"], now["discovered"], now["parsed"]) == ("finished", 63, 63)
    assert broken_invariants(small.database_url, small.cache_dir, fetched_again=True) == []
    database.close()


def status(project: CopiedProject) -> dict[str, Any]:
    """The crawl as `status --json` shows it."""
    shown = project.scrapy("status", "books", "--json")
    assert shown.code == 0, shown
    return balanced(json.loads(shown.out))


def balanced(shown: dict[str, Any]) -> dict[str, Any]:
    """The crawl of a status; its counts add up, in all and per page type."""
    (site,) = shown["sites"]
    crawl: dict[str, Any] = site["crawl"]
    for part in (crawl, *crawl["pages"].values()):
        assert part["discovered"] == sum(part[name] for name in COUNTS)
    for name in ("discovered", *COUNTS):
        assert crawl[name] == sum(part[name] for part in crawl["pages"].values())
    return crawl


def kept_file(project: CopiedProject, database: Database, fetch_id: int) -> Path:
    """Where the body of an answer stands."""
    with database.read() as connection:
        body = connection.execute(select(fetches.c.body_hash).where(fetches.c.id == fetch_id)).scalar_one()
    return project.cache_dir / body.hex()[:2] / f"{body.hex()}.zst"


def fetched(database: Database, now: dict[str, Any]) -> int:
    """How many of the sixty pending books have their answer already."""
    assert (now["state"], now["pending"], now["pages"]["book"]["pending"]) == ("open", 60, 60)
    return sum(page["fetch_id"] is not None for page in pages(database) if page["status"] == "pending")
