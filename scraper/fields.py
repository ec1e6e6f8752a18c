"""Field types that models share: each takes what pages write and gives one exact kind of value, or says why not."""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import urljoin, urlsplit

from pydantic import BeforeValidator
from w3lib.url import safe_url_string

from scraper.amounts import read_amount, read_currency, read_number
from scraper.models import page_being_parsed
from scraper.text import clean

_FLOAT_DIGITS = 15  # a float with more digits is no longer the number that was written (IEEE 754 double)


def _locale() -> str | None:
    page = page_being_parsed()
    return page.locale if page else None


def _clean_text(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # JSON writes article numbers without quotes
    if not isinstance(value, str):
        return value
    text = clean(value)
    if not text:
        raise ValueError("blank")
    return text


def _money(value: Any) -> Any:
    if isinstance(value, str):
        return _plain(read_amount(value, _locale()))
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        written = Decimal(repr(value))
        if len(written.normalize().as_tuple().digits) > _FLOAT_DIGITS:
            raise ValueError("a float of so many digits is not exact: give it as text")
        return _plain(written)
    return _plain(Decimal(value)) if isinstance(value, int | Decimal) else value


def _plain(amount: Decimal) -> Decimal:
    """1E+3 as 1000: no reader of a file expects an exponent."""
    exponent = amount.as_tuple().exponent
    return Decimal(format(amount, "f")) if isinstance(exponent, int) and exponent > 0 else amount


def _money_or_none(value: Any) -> Any:
    return None if isinstance(value, str) and not any(sign.isdigit() for sign in value) else _money(value)


def _currency(value: Any) -> Any:
    return read_currency(value, _locale()) if isinstance(value, str) else value


def _whole_number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"([-−+]?)(\d(?:[\d\s.,'’٬٫]*\d)?)", value.strip())
    number = read_number(found[2], _locale()) if found else None
    if found is None or number is None or number.as_tuple().exponent != 0:
        raise ValueError("not a whole number")
    return int(number) * (-1 if found[1] in ("-", "−") else 1)


def _absolute_url(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    page = page_being_parsed()
    address = safe_url_string(urljoin(page.base_url, value.strip()) if page else value.strip())
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an http or https address")
    return address


def _day(value: Any) -> Any:
    if isinstance(value, datetime):
        raise ValueError("a moment is not a day: its zone decides which")  # noqa: TRY004 - TypeError passes Pydantic by
    if not isinstance(value, str):
        return value
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value.strip(), re.ASCII):
        raise ValueError("not a day like 2026-12-31")
    return date.fromisoformat(value.strip())


CleanText = Annotated[str, BeforeValidator(_clean_text)]
"""Text on one line: composed (NFC), single blanks, no control character, not blank; a JSON integer as its digits."""

Money = Annotated[Decimal, BeforeValidator(_money)]
"""An exact amount, by the site's locale (`£1,299.50`, `1.299,-`, `(12.00)`); what has two readings is refused."""

MaybeMoney = Annotated[Decimal | None, BeforeValidator(_money_or_none)]
"""The same where a price may be missing: a text without a digit (`price on request`) is None, never 0."""

Currency = Annotated[str, BeforeValidator(_currency)]
"""The ISO code of the currency in a price, a sign or a code; `$` and other shared signs by the locale's region."""

WholeNumber = Annotated[int, BeforeValidator(_whole_number)]
"""An integer, grouped as the site's locale does (`1,234`); `3.0` and `1_000` are refused."""

AbsoluteUrl = Annotated[str, BeforeValidator(_absolute_url)]
"""An http or https address, resolved against the page."""

Day = Annotated[date, BeforeValidator(_day)]
"""A date written like 2026-12-31."""
