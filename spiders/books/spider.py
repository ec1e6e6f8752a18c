"""The spider of books.toscrape.com: its parsers do the work."""

from collections.abc import Iterator

from scraper.discover.spider import SiteSpider
from scraper.models import Link
from spiders.books import SITE


class BooksSpider(SiteSpider):
    """Walks the listing from the home page, which is its first page."""

    site = SITE

    def seeds(self) -> Iterator[Link]:
        yield Link(SITE.origin, "listing")
