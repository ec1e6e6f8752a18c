"""A site with a crawl and a live run in a real database, and the few steps that tests of the queue repeat."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha1
from typing import Any

from sqlalchemy import Connection, select

from scraper.sites import Refresh
from scraper.store import crawls, runs, unit_of_work, urls
from scraper.store.canonical import canonical, digest
from scraper.store.fetches import Entered, NewFetch, enter
from scraper.store.links import known_by_fp, put
from scraper.store.page_end import NewRecord, PageEnd
from scraper.store.schema import open_database
from scraper.store.sites import hosts_of, site_id_of
from scraper.store.tables import urls as urls_table
from scraper.store.unit_of_work import Work, Written
from scraper.store.urls import Claim, Claimed, NewUrl
from scraper.store.visit import CrawlRules

REFRESH: Mapping[str, Refresh] = {"listing": "every_crawl", "book": "never"}
VERSIONS = {"listing": "list-1", "book": "book-1"}


def url_of(name: str, page_type: str = "book", **more: Any) -> NewUrl:
    """An address to be put; equal names are equal addresses."""
    fp = sha1(name.encode(), usedforsecurity=False).digest()
    return NewUrl(fp=fp, authority="shop.test", page_type=page_type, url=f"https://shop.test/{name}", **more)


def record_of(key: str, **data: Any) -> NewRecord:
    """A record of kind book."""
    text = canonical({"key": key, **data})
    return NewRecord("book", canonical([key]), digest(canonical([key])), text, digest(text), "schema-1")


class Scene:
    """One site `shop`, its open crawl, and a run at work on it."""

    def __init__(self, url: str) -> None:
        self.database = open_database(url)
        with self.database.write() as connection:
            self.site_id = site_id_of(self.database, connection, "shop")
        self.versions = dict(VERSIONS)
        self.new_crawl()

    def new_crawl(self, *, fresh: bool = False) -> None:
        """Close what is open and begin a crawl with a run."""
        with self.database.write() as connection:
            if old := crawls.find_open(connection, self.site_id):
                crawls.close(self.database, connection, old, "finished", None)
            self.crawl = crawls.open_new(self.database, connection, self.site_id, fresh=fresh, code="test")
        self.run_id = self.new_run()

    def new_run(self) -> int:
        """Another live run on the crawl."""
        with self.database.write() as connection:
            return runs.begin(self.database, connection, self.site_id, "crawl", self.crawl.id, "test")

    @property
    def rules(self) -> CrawlRules:
        crawl = self.crawl
        return CrawlRules(self.site_id, crawl.id, crawl.started_at, crawl.fresh, REFRESH, self.versions)

    def put(self, *wanted: NewUrl) -> None:
        """Put seeds."""
        with self.database.write() as connection:
            before = known_by_fp(connection, self.site_id, [one.fp for one in wanted])
            put(self.database, connection, self.rules, [(one, None) for one in wanted], before)

    def claim(self, count: int = 100, run_id: int | None = None, **more: Any) -> list[Claimed]:
        """Claim rows of the only host."""

        def take(connection: Connection) -> list[Claimed]:
            wanted = Claim(run_id or self.run_id, self.crawl.id, hosts_of(connection, self.site_id)[0], count, **more)
            return urls.claim(self.database, connection, wanted)

        return self.database.transact(take)

    def fetch(self, row: Claimed, body: bytes = b"body", run_id: int | None = None) -> Entered | None:
        """Enter an accepted answer of a claimed row."""
        wanted = NewFetch(
            row.id, self.crawl.id, run_id or self.run_id, 200, "{}", digest(body.decode()), 4, 4, None, "plain", 0.1
        )
        return enter(self.database, [wanted])[0]

    def parsed(self, row: Claimed, body: bytes = b"body", **gave: Any) -> Written | None:
        """Fetch a claimed row and write what it gave."""
        entered = self.fetch(row, body)
        assert entered is not None
        end = PageEnd(
            row.id,
            "parsed",
            fetch_id=entered.fetch_id,
            body_hash=digest(body.decode()),
            parser_version=self.versions[row.page_type],
            **gave,
        )
        return self.write(end)[0]

    def write(self, *ends: PageEnd, run_id: int | None = None) -> list[Written | None]:
        """Write units of work."""
        work = Work(self.rules, run_id or self.run_id, "test")
        return unit_of_work.commit(self.database, work, ends)

    def visit(self, name: str, page_type: str = "book", body: bytes = b"body", **gave: Any) -> Written | None:
        """Put, claim, fetch and write one page."""
        self.put(url_of(name, page_type))
        (row,) = [row for row in self.claim() if row.url.endswith(f"/{name}")]
        return self.parsed(row, body, **gave)

    def row(self, name: str) -> dict[str, Any]:
        """The row of an address."""
        return dict(self.rows(urls_table, urls_table.c.fp == url_of(name).fp)[0])

    def rows(self, table: Any, *where: Any) -> list[dict[str, Any]]:
        """Rows of a table, in order of their key."""
        query = select(table).where(*where).order_by(*table.primary_key)
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def with_priority(one: NewUrl, priority: int) -> NewUrl:
    """The same address, to be claimed earlier or later."""
    return replace(one, priority=priority)
