"""The median of a category, to the cent."""

from decimal import Decimal

import pytest

from scraper.enrich.lookup import Lookup
from spiders.books.enrich import CategoryPrice, category_price
from tests.stored_books import book


def found(*prices: str, currency: str = "GBP") -> CategoryPrice:
    """For the first of these prices; a dear book of another category stands beside them."""
    books = [book(f"b{number}", price) for number, price in enumerate(prices)]
    others = [book("t", "1000.00", "Travel"), book("e", "900.00", currency=currency)]
    lookup = Lookup("category_price", {"book": [*books, *others]}, {})
    return category_price(books[0], lookup)


@pytest.mark.parametrize(
    ("prices", "median", "distance"),
    [
        (["51.77"], "51.77", "0.00"),
        (["10.00", "30.00", "20.00"], "20.00", "-10.00"),
        (["30.00", "10.00"], "20.00", "10.00"),
        (["10.01", "10.00"], "10.01", "0.00"),  # 10.005, rounded half up
        (["10.00", "10.03", "10.00", "10.00"], "10.00", "0.00"),
        (["0.00", "0.00"], "0.00", "0.00"),
    ],
)
def test_median_and_distance(prices: list[str], median: str, distance: str) -> None:
    answer = found(*prices, currency="EUR")
    assert str(answer.category_median_price) == median
    assert str(answer.price_distance) == distance


def test_other_currencies_are_not_compared() -> None:
    assert found("10.00", currency="EUR").category_median_price == Decimal("10.00")
    assert found("10.00", currency="GBP").category_median_price == Decimal("455.00")
