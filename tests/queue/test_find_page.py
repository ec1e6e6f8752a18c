"""Pages are found by every spelling of their address, by the base's, and by a record's key."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from scrapy import Request
from sqlalchemy import insert

from scraper.errors import WrongUsage
from scraper.queue.find_page import FoundPage, find_page, why_not_kept
from scraper.queue.identity import identity
from scraper.sites import PageType, Site
from scraper.store import crawls
from scraper.store.canonical import canonical, digest
from scraper.store.database import Database
from scraper.store.schema import open_database
from scraper.store.sites import site_id_of
from scraper.store.tables import fetches, records, urls

SITE = Site(
    name="shop",
    origin="https://shop.example/",
    pages={
        "item": PageType(parser="x", refresh="never"),
        "offer": PageType(parser="x", refresh="never", varies=("Accept-Language",)),
    },
)
BASE = "http://127.0.0.1:8000/"


@dataclass
class Shop:
    """A site's pages and records, made by hand."""

    database: Database
    site_id: int
    crawl_id: int

    def page(self, request: Request, varies: tuple[str, ...] = (), kept: bool = True, **more: object) -> int:
        row = {"site_id": self.site_id, "fp": identity(request, varies), "crawl_id": self.crawl_id, "host_id": 1}
        row |= {"page_type": "item", "url": request.url, "created_at": 1, "status": "parsed", **more}
        with self.database.write() as connection:
            number = connection.execute(insert(urls).values(**row)).inserted_primary_key[0]
            if kept:
                answer = {"url_id": number, "crawl_id": self.crawl_id, "run_id": 1, "at": 7, "http_status": 200}
                answer |= {"headers": "{}", "body_hash": b"b" * 32, "bytes": 1, "tier": "plain", "seconds": 0.1}
                fetch = connection.execute(insert(fetches).values(**answer)).inserted_primary_key[0]
                connection.execute(urls.update().where(urls.c.id == number).values(fetch_id=fetch))
        return number

    def record(self, kind: str, key: list[object], owner: int) -> None:
        row = {"site_id": self.site_id, "kind": kind, "key": canonical(key), "key_hash": digest(canonical(key))}
        row |= {"version_id": 1, "owner_url_id": owner, "first_seen": 1, "last_seen": 1, "last_crawl_id": 1}
        with self.database.write() as connection:
            connection.execute(insert(records).values(**row))

    def find(self, what: str, base: str | None = None) -> FoundPage | None:
        with self.database.read() as connection:
            return find_page(connection, SITE, self.site_id, base, what)


@pytest.fixture
def shop(database_url: str) -> Iterator[Shop]:
    database = open_database(database_url)
    with database.write() as connection:
        site_id = site_id_of(database, connection, "shop")
        crawl = crawls.open_new(database, connection, site_id, fresh=False, code="c")
    yield Shop(database, site_id, crawl.id)
    database.close()


def test_by_any_spelling_of_the_address(shop: Shop) -> None:
    url = "https://shop.example/a?b=1&c=2"
    shop.page(Request(url))
    for what in (url, "HTTPS://SHOP.example:443/a?c=2&b=1#top"):
        found = shop.find(what)
        assert found is not None
        assert found.url == url
        assert found.fetch is not None
        assert found.fetch.at == 7
    assert shop.find(BASE + "a?b=1&c=2", base=BASE) == found
    assert shop.find(BASE + "a?b=1&c=2") is None


def test_a_page_that_varies_and_one_that_is_posted_are_found(shop: Shop) -> None:
    varied = Request("https://shop.example/offer", headers={"Accept-Language": "de"})
    shop.page(varied, ("Accept-Language",), page_type="offer")
    shop.page(Request("https://shop.example/search", method="POST", body=b"q=1"))
    for url in ("https://shop.example/offer", "https://shop.example/search"):
        found = shop.find(url)
        assert found is not None
        assert found.url == url


def test_by_key(shop: Shop) -> None:
    owner = shop.page(Request("https://shop.example/a"))
    shop.record("item", ["GB", 7], owner)
    shop.record("price", ["x,y"], owner)
    for what in ("GB,7", "x,y"):
        found = shop.find(what)
        assert found is not None
        assert found.url == "https://shop.example/a"
    assert shop.find("GB,8") is None


def test_a_key_of_two_pages_is_asked_about(shop: Shop) -> None:
    for kind in ("item", "person"):
        shop.record(kind, ["7"], shop.page(Request(f"https://shop.example/{kind}")))
    with pytest.raises(WrongUsage, match=r"item https://shop.example/item, person https://shop.example/person"):
        shop.find("7")


def test_what_to_type_when_nothing_is_kept(shop: Shop) -> None:
    shop.page(Request("https://shop.example/new"), kept=False, status="pending")
    failed = {"status": "error", "stage": "fetch", "reason_code": "gone", "reason": "HTTP 404"}
    shop.page(Request("https://shop.example/gone"), kept=False, **failed)
    new, gone = shop.find("https://shop.example/new"), shop.find("https://shop.example/gone")
    assert new is not None
    assert new.fetch is None
    assert why_not_kept(SITE, "x", new).endswith("no answer is kept (pending in crawl 1); type: scrapy crawl shop")
    assert "error fetch/gone in crawl 1: HTTP 404" in why_not_kept(SITE, "x", gone)
    assert "scrapy requeue shop, then scrapy crawl shop" in why_not_kept(SITE, "x", gone)
