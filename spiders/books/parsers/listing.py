"""A listing page, `/` or `/catalogue/page-N.html`: links to twenty books and to the next page."""

from collections.abc import Iterator

from scraper.models import Link, Page
from scraper.parse.select import many, maybe, read

SELECTORS = {
    "books": many(css="article.product_pod h3 a::attr(href)"),
    "next": maybe(css=".pager .next a::attr(href)"),
}


def parse(page: Page) -> Iterator[Link]:
    found = read(page, SELECTORS)
    for url in found["books"]:
        yield Link(url, "book")
    if found["next"]:
        yield Link(found["next"], "listing")
