"""Each field type takes what pages write and gives one exact kind of value, or says why not."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from scraper.fields import AbsoluteUrl, CleanText, Currency, Day, MaybeMoney, Money, WholeNumber
from scraper.models import Page, Record, Refused, parsing


class Offer(Record):
    sku: CleanText | None = None
    price: Money | None = None
    maybe_price: MaybeMoney = None
    currency: Currency | None = None
    stock: WholeNumber | None = None
    url: AbsoluteUrl | None = None
    since: Day | None = None


def value_of(field: str, given: Any, locale: str | None = "en-GB", html: str = "") -> Any:
    """The field's value, or its reason."""
    with parsing(Page(url="https://shop.example/a/b.html", body=html.encode(), locale=locale)):
        offer: Any = Offer(**{field: given})
    return dict(offer.reasons)[field] if isinstance(offer, Refused) else getattr(offer, field)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("  two \n words ", "two words"),
        ("00123", "00123"),
        (12345, "12345"),
        (10**25, "1" + "0" * 25),
        ("a\x96b", "a–b"),
        ("cafe\u0301", "café"),
    ],
)
def test_clean_text(given: Any, wanted: str) -> None:
    assert value_of("sku", given) == wanted


@pytest.mark.parametrize("given", [1.5, True, ["a"], b"a"])
def test_clean_text_is_no_number(given: Any) -> None:
    assert "valid string" in value_of("sku", given)


def test_text_of_nothing_but_controls_is_blank() -> None:
    assert value_of("sku", "\x00\x81").startswith("blank (given ")


@pytest.mark.parametrize(
    ("given", "locale", "wanted"),
    [
        ("£51.77", "en-GB", "51.77"),
        ("1.234 €", "de", "1234"),
        ("1.234", "en-GB", "1.234"),
        ("1,234.56", None, "1234.56"),
        (19, None, "19"),
        (19.9, None, "19.9"),
        (Decimal("19.90"), None, "19.90"),
        (Decimal("1E+3"), None, "1000"),
        (1e15, None, "1000000000000000.0"),
        (1e40, None, "1" + "0" * 40),
    ],
)
def test_money_is_exact(given: Any, locale: str | None, wanted: str) -> None:
    found = value_of("price", given, locale)
    assert (type(found), str(found)) == (Decimal, wanted)


@pytest.mark.parametrize(
    ("given", "locale", "reason"),
    [
        ("1.234", None, "it may mean 1.234 or 1234: set locale in the site card (given '1.234')"),
        ("on request", "en-GB", "no amount in it (given 'on request')"),
        (0.1 + 0.2, None, "not exact"),
        (float("nan"), None, "finite number"),
        (Decimal("Infinity"), None, "finite number"),
        (True, None, "instance of Decimal"),
    ],
)
def test_money_is_never_guessed(given: Any, locale: str | None, reason: str) -> None:
    assert reason in value_of("price", given, locale)


def test_a_price_that_may_be_missing_is_none_and_not_zero() -> None:
    assert value_of("maybe_price", "Preis auf Anfrage", "de") is None
    assert value_of("maybe_price", None) is None
    assert value_of("maybe_price", "  ") is None
    assert value_of("maybe_price", "12,50 €", "de") == Decimal("12.50")
    assert "not one amount" in value_of("maybe_price", "10 - 12", "de")


def test_money_outside_a_parser() -> None:
    assert Offer(price=Decimal("19.90")).price == Decimal("19.90")
    assert Offer(price="51.77").price == Decimal("51.77")
    with pytest.raises(ValueError, match="set locale in the site card"):
        Offer(price="1.234")


def test_money_in_json_is_text_and_never_has_an_exponent() -> None:
    assert '"price":"19.90"' in Offer(price="19.90").model_dump_json()
    assert '"price":"1000"' in Offer(price=Decimal("1E+3")).model_dump_json()


def test_currency() -> None:
    assert value_of("currency", "£51.77") == "GBP"
    assert value_of("currency", "$5", "en-US") == "USD"
    assert "does not say which currency" in value_of("currency", "$5")


@pytest.mark.parametrize(
    ("given", "locale", "wanted"),
    [
        ("22", None, 22),
        (" -3 ", None, -3),
        (7, None, 7),
        ("1,234", "en-GB", 1234),
        ("1.234", "de", 1234),
        ("", None, None),
    ],
)
def test_whole_number(given: Any, locale: str | None, wanted: int | None) -> None:
    assert value_of("stock", given, locale) == wanted


@pytest.mark.parametrize("given", ["1_000", "3.0", "1,234", "3.", "many", "22 left", "1e3", 3.0, True, Decimal(3)])
def test_not_a_whole_number(given: Any) -> None:
    reason = value_of("stock", given, locale=None)
    assert isinstance(reason, str)
    assert repr(given) in reason


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("../c.html", "https://shop.example/c.html"),
        (" /d?q=1#x ", "https://shop.example/d?q=1#x"),
        ("//cdn.example/e", "https://cdn.example/e"),
        ("http://other.example/f g", "http://other.example/f%20g"),
    ],
)
def test_absolute_url(given: str, wanted: str) -> None:
    assert value_of("url", given) == wanted


def test_an_address_starts_from_the_base_of_the_page() -> None:
    assert value_of("url", "c.html", html="<base href='/x/'>") == "https://shop.example/x/c.html"


@pytest.mark.parametrize(
    "given", ["mailto:a@b.example", "javascript:void(0)", "data:text/html,x", "http://", "http://[x/"]
)
def test_not_an_address(given: str) -> None:
    assert f"(given {given!r})" in value_of("url", given)


def test_a_relative_address_needs_a_page() -> None:
    with pytest.raises(ValueError, match="not an http or https address"):
        Offer(url="/a")


def test_day() -> None:
    assert value_of("since", "2024-03-09") == date(2024, 3, 9)
    assert value_of("since", date(2024, 3, 9)) == date(2024, 3, 9)


@pytest.mark.parametrize(
    "given",
    ["yesterday", "09/03/2024", "20240309", "2024-02-30", "1715158391", 1715158391, datetime(2024, 3, 9, tzinfo=UTC)],
)
def test_not_a_day(given: Any) -> None:
    assert isinstance(value_of("since", given), str)
