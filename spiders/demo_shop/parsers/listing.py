"""A listing page, `/` or `/page-N.html`: links to twelve products and to the next page."""

from collections.abc import Iterator

from scraper.models import Link, Page
from scraper.parse.select import many, maybe, read

SELECTORS = {
    "products": many(css=".goods a::attr(href)"),
    "next": maybe(css="a[rel=next]::attr(href)"),
}


def parse(page: Page) -> Iterator[Link]:
    found = read(page, SELECTORS)
    for url in found["products"]:
        yield Link(url, "product")
    if found["next"]:
        yield Link(found["next"], "listing")
