"""A small crawl of real books, shared by the commands that only look: one listing, twenty books, two of them ill."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import Completed, Project
from tests.site_server import SiteServer

ORIGIN = "https://books.toscrape.com/"
BOOK = "catalogue/sapiens-a-brief-history-of-humankind_996/index.html"
FREE = "catalogue/a-light-in-the-attic_1000/index.html"
GONE = "catalogue/soumission_998/index.html"
UPC = "4165285e1663650f"
"""Of BOOK."""


def one_listing(site: SiteServer) -> None:
    """The site's first page without its link to the second: a crawl of 21 pages."""
    first = site.file_of("/").read_bytes()
    before, found, after = first.partition(b'<li class="next">')
    assert found
    site.override("/", before + after[after.index(b"</li>") + 5 :])


@dataclass(frozen=True)
class Crawled:
    """A crawl that ended; tests must leave it as it is."""

    project: Project
    """Its database and cache."""
    site: SiteServer
    """Its site, still served."""
    ended: Completed
    """How the crawl ended."""


@pytest.fixture(scope="session")
def crawled(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """One listing and twenty books, of which one has no price and one is gone."""
    folder = tmp_path_factory.mktemp("crawled")
    with SiteServer(shared / "sites" / "books") as site:
        one_listing(site)
        site.override(f"/{FREE}", site.file_of(f"/{FREE}").read_bytes().replace("£51.77".encode(), b"free"))
        site.override(f"/{GONE}", 404)
        project = Project(folder, f"sqlite:///{folder / 'scraper.sqlite'}")
        yield Crawled(project, site, crawl(project, site))


def crawl(project: Project, site: SiteServer, *more: str) -> Completed:
    """Crawl without waiting, and without a second try."""
    now = ("-s", "DOWNLOAD_DELAY=0", "-s", "RETRY_TIMES=0", "-s", "QUEUE_MAX_ATTEMPTS=1")
    return project.scrapy("crawl", "books", "-a", f"base={site.url}", *now, *more)
