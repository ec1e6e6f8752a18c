"""One crawl of a small site of oddities: each address ends as docs/queue.md says, after the requests it may cost."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from demo.server import Answer
from scraper.store.database import Database
from scraper.store.tables import records, urls, versions
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject, copy_project
from tests.site_server import SiteServer

CARD = '''"""A site of oddities."""

from scraper.sites import PageType, Site

SITE = Site(
    name="odd",
    origin="https://odd.example/",
    pages={
        "list": PageType(parser="spiders.odd.parsers.list", refresh="every_crawl"),
        "item": PageType(parser="spiders.odd.parsers.item", refresh="never"),
    },
)
'''
SPIDER = '''"""The spider of oddities."""

from scraper.discover.spider import SiteSpider
from spiders.odd import SITE


class OddSpider(SiteSpider):
    """Begins at the root."""

    site = SITE
'''
MODELS = '''"""The records of oddities."""

from scraper.fields import CleanText
from scraper.models import Record


class Item(Record):
    """A page with a title."""

    key = ("url",)
    url: CleanText
    title: CleanText
    shelf: CleanText
    seen_as: CleanText
'''
LIST = '''"""A list of links, each with what the list says of it."""

from collections.abc import Iterator

from scraper.models import Link, Page
from scraper.parse.select import each, one, read

SELECTORS = {"href": one(css="a::attr(href)"), "words": one(css="a")}


def parse(page: Page) -> Iterator[Link]:
    for card in each(page, css="li"):
        found = read(card, SELECTORS)
        yield Link(found["href"], "item", {"shelf": found["words"]}, priority=1 if found["words"] == "urgent" else 0)
'''
ITEM = '''"""A page with a title."""

from collections.abc import Iterator

from scraper.models import Page
from scraper.parse.select import one, read
from spiders.odd.models import Item

SELECTORS = {"title": one(css="title")}


def parse(page: Page) -> Iterator[Item]:
    if "boom" in page.url:
        raise KeyError("boom")
    shelf = page.context["shelf"]
    yield Item(url=page.url, shelf=shelf, seen_as=f"{page.status} {page.locale}", **read(page, SELECTORS))
'''


def titled(title: str) -> bytes:
    return f"<html><title>{title}</title></html>".encode()


def moved(to: str, **headers: str) -> Answer:
    return Answer(b"", 302, {"Location": to, **headers})


WHOLE = gzip.compress(titled("whole"))
PAGES: dict[str, tuple[Any, ...]] = {
    "/plain": (titled("plain"),),
    "/old": (moved("/new"),),
    "/new": (titled("new"),),
    "/cookie": (moved("/cookie", **{"Set-Cookie": "s=1"}), titled("cookie")),
    "/loop": (moved("/loop?again"),),
    "/loop?again": (moved("/loop"),),
    "/away": (moved("https://elsewhere.example/"),),
    "/missing": (404,),
    "/flaky": (503, 503, titled("flaky")),
    "/forbidden": (403,),
    "/down": (500,),
    "/cut": (
        Answer(WHOLE[:-9], headers={"Content-Encoding": "gzip"}),
        Answer(WHOLE, headers={"Content-Encoding": "gzip"}),
    ),
    "/always-cut": (Answer(titled("short"), headers={"Content-Length": "9999"}),),
    "/liar": (Answer(titled("liar"), headers={"Content-Encoding": "gzip"}),),
    "/boom": (titled("boom"),),
    "/untitled": (b"<html><title> </title></html>",),
    "/private": (titled("private"),),
    "/q?/topic/5/&do=c": (titled("query"),),
}
ENDS = {
    "/": ("parsed", None, 1),
    "/plain": ("parsed", None, 1),
    "/old": ("parsed", None, 1),
    "/new": ("parsed", None, None),  # asked for once, or twice when it was under way as the redirect led to it
    "/cookie": ("parsed", None, 2),
    "/loop": ("error", "network", None),
    "/away": ("error", "scope", 1),
    "/missing": ("error", "gone", 1),
    "/flaky": ("parsed", None, 3),
    "/forbidden": ("error", "network", 2),
    "/down": ("error", "network", 6),
    "/cut": ("parsed", None, 2),
    "/always-cut": ("error", "network", 6),
    "/liar": ("parsed", None, 1),
    "/boom": ("error", "parse", 1),
    "/untitled": ("error", "parse", 1),
    "/private": ("error", "robots", 0),
    "/q?/topic/5/&do=c": ("parsed", None, 1),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CopiedProject, SiteServer, str]]:
    folder = tmp_path_factory.mktemp("odd")
    project = CopiedProject(folder, f"sqlite:///{folder}/scraper.sqlite", home=copy_project(folder))
    site = project.home / "spiders" / "odd"
    (site / "parsers").mkdir(parents=True)
    for name, text in {
        "__init__.py": CARD,
        "spider.py": SPIDER,
        "models.py": MODELS,
        "parsers/__init__.py": '"""The parsers."""\n',
        "parsers/list.py": LIST,
        "parsers/item.py": ITEM,
    }.items():
        (site / name).write_text(text, encoding="utf-8")
    with SiteServer(folder) as server:
        links = [f'<li><a href="{path}">shelf {n}</a>' for n, path in enumerate(PAGES)]
        links += ['<li><a href="https://odd.example/plain#top">again</a>', '<li><a href="mailto:a@b.test">mail</a>']
        links += ['<li><a href="http://[bad">bad</a>', '<li><a href="/urgent">urgent</a>']
        server.override("/", f"<html><ul>{''.join(links)}</ul></html>".encode())
        server.override("/robots.txt", b"User-agent: *\nDisallow: /private\n")
        server.override("/urgent", titled("urgent"))
        for path, answers in PAGES.items():
            server.override(path, *answers)
        ended = project.scrapy(
            "crawl", "odd", "-a", f"base={server.url}", "-s", "DOWNLOAD_DELAY=0",
            "-s", "QUEUE_BACKOFF=0.05", "-s", "QUEUE_MAX_ATTEMPTS=2", "-L", "INFO", "-O", str(folder / "feed.json"),
        )  # fmt: skip
        yield project, server, ended.out + ended.err
        assert ended.code == 0, ended


def rows(project: CopiedProject, query: Any) -> list[Any]:
    database = Database(project.database_url)
    with database.read() as connection:
        found = list(connection.execute(query))
    database.close()
    return found


@pytest.mark.parametrize("path", ENDS)
def test_each_address_ends_as_it_should(crawled: tuple[CopiedProject, SiteServer, str], path: str) -> None:
    project, server, _ = crawled
    query = select(urls.c.status, urls.c.reason_code, urls.c.reason).where(urls.c.url == f"https://odd.example{path}")
    ((status, code, reason),) = rows(project, query)
    wanted_status, wanted_code, requests = ENDS[path]
    assert (status, code) == (wanted_status, wanted_code), reason
    if requests is not None:
        assert server.requests[path] == requests
    assert bool(reason) is (status == "error")


def test_a_redirect_loop_ends_within_twenty_hops(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    _, server, _ = crawled
    assert server.requests["/loop"] + server.requests["/loop?again"] <= 2 * 21


def test_the_context_reaches_the_parser_and_the_record(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    project, _, _ = crawled
    data = {json.loads(text)["title"]: json.loads(text) for (text,) in rows(project, select(versions.c.data))}
    assert set(data) == {"plain", "new", "cookie", "flaky", "whole", "liar", "query", "urgent"}
    assert data["plain"]["shelf"] == "shelf 0"
    assert data["new"]["url"] == "https://odd.example/new"
    assert data["query"]["seen_as"] == "200 None"


def test_a_page_reached_by_redirect_and_by_link_is_one_record(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    project, _, _ = crawled
    assert len(rows(project, select(records.c.id))) == 8


def test_what_the_log_says_of_an_error(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    _, _, log = crawled
    assert "error fetch/gone: HTTP 404; https://odd.example/missing" in log
    assert "error parse/parse: title: wanted one, found 0 (css title); see: scrapy page odd" in log
    assert "error scope/robots: " in log
    assert "'links/scheme': 1" in log
    assert "'links/invalid': 1" in log
    assert "'body/not_gzip': 1" in log


def test_scrapys_own_feed_gets_the_records_too(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    project, _, _ = crawled
    feed = json.loads((project.folder / "feed.json").read_text(encoding="utf-8"))
    assert {item["title"] for item in feed} == {"plain", "new", "cookie", "flaky", "whole", "liar", "query", "urgent"}


def test_urgent_links_go_first(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    _, server, _ = crawled
    order = [path for path in server.asked if path in ("/urgent", "/q?/topic/5/&do=c")]
    assert order[0] == "/urgent"


def test_the_books_balance(crawled: tuple[CopiedProject, SiteServer, str]) -> None:
    project, _, _ = crawled
    assert broken_invariants(project.database_url, project.cache_dir) == []
