"""Any item becomes a valid record of the site, or is refused with a reason per field."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from pydantic import HttpUrl
from scrapy import Field, Item

from scraper.fields import CleanText
from scraper.models import Page, Record, parsing
from scraper.validate.record_of import RecordRefused, record_of


class Book(Record):
    """A book."""

    key = ("upc",)
    upc: CleanText
    price: Decimal | None = None


class Odd(Record):
    """A record with a value that JSON has no form for."""

    key = ("upc",)
    upc: CleanText
    raw: bytes
    link: HttpUrl | None = None


class BookItem(Item):
    upc = Field()
    price = Field()


@dataclass
class BookData:
    upc: str
    price: Decimal | None = None


@pytest.mark.parametrize("item", [{"upc": "1"}, BookItem(upc="1"), BookData("1"), Book(upc="1")])
def test_every_kind_of_item_is_welcome(item: Any) -> None:
    assert record_of(item, (Book,)) == Book(upc="1")


@pytest.mark.parametrize(
    "item", [{"upc": " "}, {"price": Decimal(1)}, {"upc": "1", "colour": "red"}, BookData("1", 1.5)]
)
def test_what_the_model_refuses_is_named(item: Any) -> None:
    with pytest.raises(RecordRefused) as refused:
        record_of(item, (Book,))
    assert refused.value.kind == "book"
    assert {name for name, _ in refused.value.reasons} <= {"upc", "colour", "price"}
    assert refused.value.reasons


def test_a_record_refused_inside_a_parser_travels_to_here() -> None:
    with parsing(Page("https://a.test/", b"")):
        value = Book(upc="")
    with pytest.raises(RecordRefused, match="upc"):
        record_of(value, (Book,))


def test_an_untyped_item_of_a_site_with_two_models_is_refused() -> None:
    with pytest.raises(RecordRefused, match="exactly one record model"):
        record_of({"upc": "1"}, (Book, Odd))


def test_a_value_that_cannot_be_stored_is_named() -> None:
    with pytest.raises(RecordRefused) as refused:
        record_of(Odd(upc="1", raw=b"\xff"), (Odd,))
    assert [name for name, _ in refused.value.reasons] == ["raw"]
