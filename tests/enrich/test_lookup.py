"""What an enricher may look up, and what it must have said before."""

from decimal import Decimal

import pytest

from scraper.enrich.lookup import Lookup
from scraper.errors import BrokenSite
from scraper.models import Record


class Good(Record):
    key = ("sku",)
    sku: str
    group: str
    price: Decimal


GOODS = [Good(sku=f"s{n}", group="odd" if n % 2 else "even", price=Decimal(n % 3)) for n in range(6)]
LOOKUP = Lookup("neighbours", {"good": GOODS}, {"vat": ({"country": "GB", "rate": "20"},)})


def skus(found: object) -> list[str]:
    return [one.sku for one in found]


def test_records_by_one_field_by_two_and_all() -> None:
    assert skus(LOOKUP("good", group="odd")) == ["s1", "s3", "s5"]
    assert skus(LOOKUP("good", price=Decimal("1.00"), group="odd")) == ["s1"]
    assert skus(LOOKUP("good", group="none")) == []
    assert skus(LOOKUP("good")) == [one.sku for one in GOODS]


def test_a_table() -> None:
    assert LOOKUP.table("vat")[0]["rate"] == "20"


def test_what_is_computed_once_is_not_computed_again() -> None:
    asked = []
    lookup = Lookup("neighbours", {}, {})
    assert [lookup.once("a", lambda: asked.append(1) or 7) for _ in range(3)] == [7, 7, 7]
    assert asked == [1]
    assert lookup.once("b", lambda: 8) == 8


def test_what_was_not_said_or_is_not_there_breaks_the_enricher_not_one_record() -> None:
    with pytest.raises(BrokenSite, match=r"neighbours: it looks up 'author'; say so: scope=\(\"author\",\)"):
        LOOKUP("author")
    with pytest.raises(BrokenSite, match="good has no field 'grup'"):
        LOOKUP("good", grup="odd")
    with pytest.raises(BrokenSite, match="reads table 'rates'; say so"):
        LOOKUP.table("rates")
