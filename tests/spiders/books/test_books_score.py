"""The scorecard of a book gives what docs/books.md promises."""

from decimal import Decimal

import pytest

from spiders.books.enrich import CategoryPrice
from spiders.books.score import value
from tests.stored_books import book


def near(price: str, median: str) -> CategoryPrice:
    return CategoryPrice(category_median_price=Decimal(median), price_distance=Decimal(price) - Decimal(median))


def score(price: str = "10.00", median: str = "10.00", **others: object) -> tuple[float, tuple[str, ...]]:
    found = value(book("a", price, **others), {"category_price": near(price, median)})
    return found.value, found.reasons


def test_a_score_is_the_sum_of_its_reasons() -> None:
    total, reasons = score("51.77", "36.08", rating=5, stock=22, description="Words.")
    assert reasons == (
        "rating 5 of 5: +40",
        "22 in stock: +20",
        "price 51.77 is 15.69 above the category's median 36.08: +2",
        "has a description: +10",
    )
    assert total == 72.0


def test_best_and_worst() -> None:
    assert score("5.00", "10.00", rating=5, stock=20)[0] == 100.0
    assert score("15.00", "10.00", rating=1, stock=0, description=None)[0] == 8.0


@pytest.mark.parametrize(
    ("price", "median", "reason"),
    [
        ("10.00", "10.00", "price 10.00 is the category's median: +15"),
        ("9.00", "10.00", "price 9.00 is 1.00 below the category's median 10.00: +18"),
        ("11.00", "30.00", "price 11.00 is 19.00 below the category's median 30.00: +30"),
        ("99.00", "30.00", "price 99.00 is 69.00 above the category's median 30.00: +0"),
        ("20.01", "20.00", "price 20.01 is 0.01 above the category's median 20.00: +15"),
        ("60.50", "60.00", "price 60.50 is 0.50 above the category's median 60.00: +14.8"),  # 14.75, half up
        ("0.00", "0.00", "the category's median price is 0: +0"),
    ],
)
def test_the_price_within_its_category(price: str, median: str, reason: str) -> None:
    assert score(price, median)[1][2] == reason


def test_without_facts_and_description() -> None:
    found = value(book("a", "1.00", description=None, stock=1), {"category_price": None})
    assert found.reasons[1:] == (
        "1 in stock: +1",
        "the category's median price is not known yet: +0",
        "has no description: +0",
    )
    assert found.value == 33.0
