"""The page of one book, `/catalogue/<slug>/index.html`."""

from collections.abc import Iterator

from scraper.models import Page
from scraper.parse.select import maybe, one, read
from spiders.books.models import Book

SELECTORS = {
    "upc": one(xpath="//th[.='UPC']/following-sibling::td"),
    "title": one(css=".product_main h1"),
    "price": one(css=".product_main .price_color", xpath="//th[.='Price (incl. tax)']/following-sibling::td"),
    "currency": one(css=".product_main .price_color", xpath="//th[.='Price (incl. tax)']/following-sibling::td"),
    "stock": one(
        css=".product_main .availability",
        xpath="//th[.='Availability']/following-sibling::td",
        regex=r"\((\d+) available\)",
    ),
    "rating": one(css=".product_main .star-rating::attr(class)", regex=r"star-rating (\w+)"),
    "category": one(css=".breadcrumb li:nth-child(3) a"),
    "description": maybe(css="#product_description + p"),
    "reviews": one(xpath="//th[.='Number of reviews']/following-sibling::td"),
}


def parse(page: Page) -> Iterator[Book]:
    yield Book(url=page.url, **read(page, SELECTORS))
