"""Facts added to a book: what books of its category cost, and how far its price is from that."""

from decimal import ROUND_HALF_UP, Decimal

from scraper.enrich.enricher import Enricher, Facts
from scraper.enrich.lookup import Lookup
from spiders.books.models import Book

CENT = Decimal("0.01")


class CategoryPrice(Facts):
    """A book's price beside those of its category; only prices in the same currency are compared."""

    category_median_price: Decimal
    """The middle price of the category; of two middle ones their mean, rounded half up to a cent."""
    price_distance: Decimal
    """The book's price less that median; negative for a cheap one."""


def category_price(book: Book, lookup: Lookup) -> CategoryPrice:
    """The book itself belongs to its category, so there is always a median."""
    middle = lookup.once(
        (book.category, book.currency),
        lambda: median([one.price for one in lookup(Book.kind, category=book.category, currency=book.currency)]),
    )
    return CategoryPrice(category_median_price=middle, price_distance=book.price - middle)


def median(prices: list[Decimal]) -> Decimal:
    """The middle price, exact."""
    ordered, half = sorted(prices), len(prices) // 2
    if len(ordered) % 2:
        return ordered[half]
    return ((ordered[half - 1] + ordered[half]) / 2).quantize(CENT, ROUND_HALF_UP)


ENRICHERS = (
    Enricher(name="category_price", kind=Book.kind, output=CategoryPrice, enrich=category_price, scope=(Book.kind,)),
)
