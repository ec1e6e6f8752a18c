"""What books.toscrape.com yields."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from scraper.fields import AbsoluteUrl, CleanText, Currency, Money, WholeNumber
from scraper.models import Record

WORDS = ("One", "Two", "Three", "Four", "Five")


def _stars(value: Any) -> Any:
    """The page writes its stars as a class, `star-rating Three`; another word is left for the type to refuse."""
    return WORDS.index(value) + 1 if value in WORDS else value


class Book(Record):
    """One book of the shop."""

    key = ("upc",)

    upc: CleanText
    """The shop's number of the book."""
    title: CleanText
    """The full title; listings cut it."""
    price: Money
    """With tax; the shop takes none."""
    currency: Currency
    """ISO 4217."""
    stock: WholeNumber
    """Copies available."""
    rating: Annotated[int, BeforeValidator(_stars), Field(ge=1, le=5)]
    """Stars, 1 to 5."""
    category: CleanText
    """The shelf it stands on."""
    description: CleanText | None = None
    """The blurb; two books have none."""
    reviews: WholeNumber
    """How many there are."""
    url: AbsoluteUrl
    """Its page."""
