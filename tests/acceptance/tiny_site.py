"""A site of two page types for a copy of the project, and the pages a server shows for it."""

from pathlib import Path

from tests.site_copy import CopiedProject

FILES = {
    "__init__.py": """
from scraper.sites import PageType, Site

SITE = Site(
    name="{name}",
    origin="https://{name}.example/",
    delay=0,
    pages={{
        "listing": PageType(parser="spiders.{name}.parsers.listing", refresh="every_crawl"),
        "thing": PageType(parser="spiders.{name}.parsers.thing", refresh="never"),
    }},
)
""",
    "spider.py": """
from scraper.discover.spider import SiteSpider
from spiders.{name} import SITE


class TinySpider(SiteSpider):
    site = SITE
""",
    "models.py": """
from scraper.fields import AbsoluteUrl, CleanText
from scraper.models import Record


class Thing(Record):
    key = ("url",)
    url: AbsoluteUrl
    name: CleanText
""",
    "parsers/__init__.py": "",
    "parsers/listing.py": """
from collections.abc import Iterator

from scraper.models import Link, Page
from scraper.parse.select import many, read


def parse(page: Page) -> Iterator[Link]:
    for url in read(page, {{"links": many(css="a::attr(href)")}})["links"]:
        yield Link(url, "thing")
""",
    "parsers/thing.py": """
from collections.abc import Iterator

from scraper.models import Page
from scraper.parse.select import one, read
from spiders.{name}.models import Thing


def parse(page: Page) -> Iterator[Thing]:
    yield Thing(url=page.url, **read(page, {{"name": one(css="h1")}}))
""",
}


def add_site(project: CopiedProject, name: str = "tiny", **changed: str) -> None:
    """Put a site of that name into the copy; `spider="..."` is another content of spider.py, and so on."""
    for file, content in FILES.items():
        path = project.home / "spiders" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        given = changed.get(path.stem.strip("_"))
        path.write_text(content.format(name=name) if given is None else given, encoding="utf-8")


def listing_of(*links: str) -> bytes:
    """A page with these links."""
    return f"<html><body>{''.join(f'<a href={link!r}>one</a>' for link in links)}</body></html>".encode()


def thing(name: str) -> bytes:
    """The page of a thing."""
    return f"<html><body><h1>{name}</h1></body></html>".encode()


def write_pages(folder: Path, *names: str) -> Path:
    """The folder, with a listing and the page of each thing, for a server to show."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_bytes(listing_of(*names))
    for name in names:
        (folder / name).write_bytes(thing(name))
    return folder
