"""What is stored as canonical JSON comes back as the very same model."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field

from scraper.errors import ModelMismatch
from scraper.fields import AbsoluteUrl, CleanText, Currency, Day, MaybeMoney, Money, WholeNumber
from scraper.models import Page, Record, parsing
from scraper.store.canonical import canonical
from scraper.store.stored_model import restore


class Colour(Enum):
    RED = "red"


class Maker(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)
    name: str
    since: date


class Thing(Record):
    key = ("sku",)
    sku: CleanText
    price: Money
    old_price: MaybeMoney = None
    others: list[Money]
    currency: Currency
    pieces: WholeNumber
    stars: Annotated[int, Field(ge=1, le=5)]
    weight: float = 0.1
    day: Day
    seen: datetime
    at: time
    lasts: timedelta
    colour: Colour
    number: UUID
    sizes: tuple[int, ...]
    tags: frozenset[str]
    state: Literal["new", "used"] = "new"
    maker: Maker | None = None
    note: str | None = None
    url: AbsoluteUrl


THING = Thing(
    sku="0123",
    price=Decimal("1.234"),
    others=[Decimal("51.770"), Decimal("1000")],
    currency="GBP",
    pieces=12,
    stars=5,
    day=date(2026, 12, 1),
    seen=datetime(2026, 12, 1, 6, 45, 0, 250, tzinfo=UTC),
    at=time(6, 45),
    lasts=timedelta(days=1, microseconds=1),
    colour=Colour.RED,
    number=UUID(int=5),
    sizes=(1, 2),
    tags=frozenset({"b", "a"}),
    maker=Maker(name="Acme", since=date(1949, 1, 1)),
    url="https://example.com/a%20b?c=d",
)


def stored(record: BaseModel) -> str:
    return canonical(record.model_dump(mode="python"))


def back(record: Thing) -> Thing:
    return restore(Thing, stored(record), "reparse shop")


def test_every_type_comes_back() -> None:
    found = back(THING)
    assert found == THING
    assert type(found.price) is Decimal
    assert stored(found) == stored(THING)  # 51.770 keeps its nought


def test_a_page_being_parsed_makes_no_difference() -> None:
    with parsing(Page(url="https://example.com/", body=b"", locale="de-DE")):
        assert back(THING) == THING


def test_a_decimal_stored_in_another_form_is_no_surprise() -> None:
    assert back(THING.model_copy(update={"price": Decimal("1E+3")})).price == Decimal("1000")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"price": None}, "price"),
        ({"price": "cheap"}, "price"),
        ({"stars": 6}, "stars: Input should be less than or equal to 5"),
        ({"shelf": 4}, "shelf: Extra inputs are not permitted"),
    ],
)
def test_what_does_not_fit_any_more_is_named(change: dict, reason: str) -> None:
    with pytest.raises(ModelMismatch, match=f"does not fit Thing any more: .*{reason}.*; run: scrapy reparse shop$"):
        restore(Thing, canonical({**THING.model_dump(mode="python"), **change}), "reparse shop")


def test_a_required_field_that_was_not_stored_is_named_an_optional_one_has_its_default() -> None:
    data = THING.model_dump(mode="python")
    del data["note"], data["weight"]
    assert restore(Thing, canonical(data), "reparse shop") == THING
    del data["stars"]
    with pytest.raises(ModelMismatch, match="stars: Field required"):
        restore(Thing, canonical(data), "reparse shop")
