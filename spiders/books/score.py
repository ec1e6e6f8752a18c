"""How good a buy a book is, from 0 to 100, with a reason for each part; the weights are explained in docs/books.md."""

from decimal import ROUND_HALF_UP, Decimal

from scraper.score.scorecard import FactsByName, Score, Scorecard
from spiders.books.enrich import CategoryPrice
from spiders.books.models import Book

PER_STAR = Decimal(8)
ENOUGH_STOCK = 20
PRICE_AT_MEDIAN = Decimal(15)
DESCRIBED = Decimal(10)
TENTH = Decimal("0.1")

Part = tuple[Decimal, str]


def value(book: Book, facts: FactsByName) -> Score:
    """Up to 40 for the rating, 20 for stock, 30 for the price within its category, 10 for a description."""
    price_facts = facts["category_price"]
    assert price_facts is None or isinstance(price_facts, CategoryPrice)
    parts = (rating(book), stock(book), price(book, price_facts), description(book))
    return Score(
        value=float(sum(points for points, _ in parts)),
        reasons=tuple(f"{words}: +{points.normalize():f}" for points, words in parts),
    )


def rating(book: Book) -> Part:
    """8 points a star."""
    return PER_STAR * book.rating, f"rating {book.rating} of 5"


def stock(book: Book) -> Part:
    """A point for each copy, up to 20."""
    return Decimal(min(book.stock, ENOUGH_STOCK)), f"{book.stock} in stock"


def price(book: Book, facts: CategoryPrice | None) -> Part:
    """15 points at the median, 30 at half of it or less, 0 at one and a half or more; straight between, to a tenth."""
    if facts is None:
        return Decimal(0), "the category's median price is not known yet"
    middle, distance = facts.category_median_price, facts.price_distance
    if middle <= 0:
        return Decimal(0), "the category's median price is 0"
    points = PRICE_AT_MEDIAN - 2 * PRICE_AT_MEDIAN * distance / middle
    points = min(max(points, Decimal(0)), 2 * PRICE_AT_MEDIAN).quantize(TENTH, ROUND_HALF_UP)
    if distance == 0:
        return points, f"price {book.price} is the category's median"
    side = "above" if distance > 0 else "below"
    return points, f"price {book.price} is {abs(distance)} {side} the category's median {middle}"


def description(book: Book) -> Part:
    """10 points for having one."""
    return (DESCRIBED, "has a description") if book.description else (Decimal(0), "has no description")


SCORECARDS = (Scorecard(name="value", kind=Book.kind, score=value),)
