"""The page of one product, `/goods/<sku>.html`."""

from collections.abc import Iterator

from scraper.models import Page
from scraper.parse.select import maybe, one, read
from spiders.demo_shop.models import Product

SOLD_OUT = "Ausverkauft"

SELECTORS = {
    "sku": one(css="main::attr(data-sku)"),
    "name": one(css="h1::text"),
    "category": one(css=".trail .category::text"),
    "price": one(css=".price::text", xpath="//p[contains(., '€')]/text()"),
    "currency": one(css=".price::text"),
    "stock": one(css=".stock::text", regex=r"\((\d+) Stück\)") | one(css=".stock::text", regex=SOLD_OUT),
    "description": maybe(css=".description::text"),
}


def parse(page: Page) -> Iterator[Product]:
    found = read(page, SELECTORS)
    if found["stock"] == SOLD_OUT:
        found["stock"] = 0
    yield Product(url=page.url, **found)
