"""Amounts and currencies as pages write them, read by the rules of one locale (CLDR), never guessed."""

import re
import unicodedata
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.core import UnknownLocaleError
from babel.numbers import (
    NumberFormatError,
    UnsupportedNumberingSystemError,
    get_currency_symbol,
    get_group_symbol,
    get_territory_currencies,
    list_currencies,
    parse_decimal,
)

_AMOUNT = re.compile(
    r"""(?P<open>\()? \s* (?P<sign>[-−+])? \s* (?P<before>[^\d\s()+\-−.,:]+\.?)? \s* (?P<inner>[-−])? \s*
        (?P<number>\d (?: [\d\s.,'’٬٫]* \d)?) (?P<no_cents>[.,:][-–—−]{1,2})? \s*
        (?P<after>[^\d\s()+\-−.,:]+\.?)? \s* (?P<close>\))?""",
    re.X,
)
_LATIN = "latn"
_DIGITS = {"0": _LATIN, "٠": "arab", "۰": "arabext", "०": "deva"}
# One locale for each way to write numbers: together they stand for "no locale known".
_CONVENTIONS = {_LATIN: ("en", "de", "fr", "de_CH", "en_IN"), "arab": ("ar",), "arabext": ("fa",), "deva": ("hi",)}
# Written on real price tags, but not in CLDR under these letters.
_EVERYDAY = {"kr", "Kr", "Rs", "Fr", "SFr", "zł", "Kč", "Ft", "lei", "лв", "руб", "р", "TL", "RM", "Rp", "R", "EURO"}
_ISO_CODES = frozenset(list_currencies())
_SHARED_SIGNS = {"$", "¥", "￥", "kr", "Kr", "Rs", "Fr"}  # one sign, many currencies: only a region tells which


@cache
def read_locale(name: str) -> Locale:
    """The locale of a site card (`en-GB`); raises ValueError when it is unknown."""
    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError) as error:
        raise ValueError(f"locale {name!r} is unknown; write it like en-GB") from error


def read_amount(text: str, locale: str | None) -> Decimal:
    """The one amount that the text is (`£1,299.50`, `1.299,-`, `(12.00)`); raises ValueError with the reason.

    Without a locale it is read by every convention, and counts only when all that can read it agree.
    """
    parts = _AMOUNT.fullmatch(text.strip())
    if parts is None or bool(parts["open"]) != bool(parts["close"]) or not _one_sign(parts):
        raise ValueError("not one amount" if any(sign.isdigit() for sign in text) else "no amount in it")
    for word in (parts["before"], parts["after"]):
        if word and not _is_currency(word, locale):
            raise ValueError(f"{word!r} is no currency: select the amount alone")
    amount = read_number(parts["number"], locale)
    return -amount if parts["open"] or "-" in _signs(parts) else amount


def read_number(number: str, locale: str | None) -> Decimal:
    """Digits with grouping and decimal marks, without a sign; raises ValueError with the reason."""
    digits, system = _latin_digits(number)
    if locale is not None:
        return _by_locale(digits, read_locale(locale), system)
    readings: dict[Decimal, str] = {}
    for name in _CONVENTIONS[system]:
        try:
            readings.setdefault(_by_locale(digits, Locale.parse(name), system), name)
        except ValueError:
            continue  # that convention cannot read it, so it has no say
    if len(readings) > 1:
        choices = " or ".join(str(reading) for reading in readings)
        raise ValueError(f"it may mean {choices}: set locale in the site card")
    if not readings:
        raise ValueError("not one number")
    return next(iter(readings))


def read_currency(text: str, locale: str | None) -> str:
    """The ISO code of the currency that an amount (`£51.77`), a sign or a code names; raises ValueError.

    A sign that many countries share (`$`, `kr`) is the one of the locale's region, or an error.
    """
    parts = _AMOUNT.fullmatch(text.strip())
    words = [word for word in (parts["before"], parts["after"]) if word] if parts else [text.strip()]
    if len(words) != 1:
        raise ValueError("no currency in it" if not words else "two currencies in it")
    word = words[0]
    if word in _ISO_CODES:
        return word
    known = read_locale(locale) if locale else Locale.parse("en")
    for code in get_territory_currencies(known.territory) if known.territory else ():
        if _bare(word) in (_bare(get_currency_symbol(code, known)), _bare(get_currency_symbol(code, "en"))):
            return str(code)
    codes = {
        code
        for symbols in (known.currency_symbols, Locale.parse("en").currency_symbols)
        for code, symbol in symbols.items()
        if symbol == word
    }
    if len(codes) != 1 or _bare(word) in _SHARED_SIGNS:
        raise ValueError(f"{word!r} does not say which currency: set a locale with its region in the site card")
    return str(codes.pop())


def _by_locale(digits: str, locale: Locale, system: str) -> Decimal:
    try:
        group = get_group_symbol(locale, numbering_system=system)
        if group.isspace():
            digits = re.sub(r"\s", group, digits)
        elif group in "'’":
            digits = re.sub("['’]", group, digits)
        return parse_decimal(digits, locale, strict=True, numbering_system=system)
    except (NumberFormatError, UnsupportedNumberingSystemError) as error:
        raise ValueError(f"not a number as {locale} writes it") from error


def _latin_digits(number: str) -> tuple[str, str]:
    """The number with Latin digits, and the name of the system its digits were written in."""
    zeros = {chr(ord(sign) - unicodedata.digit(sign)) for sign in number if sign.isdecimal()}
    system = _DIGITS.get(zeros.pop()) if len(zeros) == 1 else None
    if system is None:
        raise ValueError("digits of an unknown or mixed script")
    return "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in number), system


def _signs(parts: re.Match[str]) -> str:
    return "".join(parts[name] or "" for name in ("sign", "inner")).replace("−", "-")


def _one_sign(parts: re.Match[str]) -> bool:
    return len(_signs(parts)) + bool(parts["open"]) <= 1


def _bare(word: str) -> str:
    return str(word).rstrip(".")


def _is_currency(word: str, locale: str | None) -> bool:
    bare = _bare(word)
    if bare in _EVERYDAY or bare in _ISO_CODES or any(unicodedata.category(sign) == "Sc" for sign in bare):
        return True
    return locale is not None and word in read_locale(locale).currency_symbols.values()
