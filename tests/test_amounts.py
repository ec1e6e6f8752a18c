"""Amounts and currencies are read by one locale's rules; what has two readings is refused."""

from decimal import Decimal

import pytest

from scraper.amounts import read_amount, read_currency, read_locale


@pytest.mark.parametrize(
    ("text", "locale", "amount"),
    [
        ("1.234,56 €", "de", "1234.56"),
        ("1,234.56 $", "en", "1234.56"),
        ("1.234 €", "de", "1234"),
        ("£3.355", "en_GB", "3.355"),
        ("£51.77", "en-GB", "51.77"),
        ("19.90", "en-GB", "19.90"),
        ("1 299,00 €", "fr", "1299.00"),
        ("1\u202f299,00\u00a0€", "fr", "1299.00"),
        ("CHF 1'299.50", "de_CH", "1299.50"),
        ("CHF 1’299.50", "de_CH", "1299.50"),
        ("€ 1.299,-", "nl", "1299"),
        ("99:-", "sv", "99"),
        ("1 234 kr", "sv", "1234"),
        ("Rs. 1,23,456.00", "en_IN", "123456.00"),
        ("١٢٣٫٤٥", "ar", "123.45"),
        ("١٬٢٣٤٫٥", "ar", "1234.5"),
        ("١٢٣٫٤٥", "en", "123.45"),
        ("-5 €", "de", "-5"),
        ("−5,00 €", "de", "-5.00"),
        ("-kr 6.645", "da", "-6645"),
        ("$ -5.00", "en", "-5.00"),
        ("(12.00)", "en", "-12.00"),
        ("0.00", "en", "0.00"),
    ],
)
def test_an_amount_as_its_locale_writes_it(text: str, locale: str, amount: str) -> None:
    assert str(read_amount(text, locale)) == amount


@pytest.mark.parametrize(
    ("text", "locale", "reason"),
    [
        ("Preis auf Anfrage", "de", "no amount in it"),
        ("NaN", "en", "no amount in it"),
        ("", "en", "no amount in it"),
        ("10.00 – 12.00", "en", "not one amount"),
        ("10-12", "en", "not one amount"),
        ("1_000", "en", "not one amount"),
        ("1e5", "en", "not one amount"),
        ("-(5)", "en", "not one amount"),
        ("- -5", "en", "not one amount"),
        ("(5", "en", "not one amount"),
        ("ab 12,00 €", "de", "'ab' is no currency"),
        ("12 each", "en", "'each' is no currency"),
        ("12²", "en", "'²' is no currency"),
        ("1.5", "de", "not a number as de writes it"),
        ("1,00", "en", "not a number as en writes it"),
        ("1,23,456", "en", "not a number as en writes it"),
        ("19 99", "fr", "not a number as fr writes it"),
        ("1٢", "ar", "unknown or mixed script"),
        ("5", "xx", "locale 'xx' is unknown"),
    ],
)
def test_anything_else_is_refused(text: str, locale: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_amount(text, locale)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1234", "1234"),
        ("£51.77", "51.77"),
        ("51,77 €", "51.77"),
        ("1,234.56", "1234.56"),
        ("1.234.567", "1234567"),
        ("1234.567", "1234.567"),
        ("0.123", "0.123"),
        ("12 345", "12345"),
        ("(12.00)", "-12.00"),
        ("١٬٢٣٤٫٥", "1234.5"),
    ],
)
def test_without_a_locale_what_has_one_reading_is_read(text: str, amount: str) -> None:
    assert read_amount(text, None) == Decimal(amount)


@pytest.mark.parametrize("text", ["1.234", "1,234", "£1.234", "-12,345"])
def test_without_a_locale_two_readings_are_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"it may mean .* or .*: set locale in the site card"):
        read_amount(text, None)


@pytest.mark.parametrize("text", ["19 99", "1.2.3", "1,2345.6"])
def test_without_a_locale_no_reading_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not one number"):
        read_amount(text, None)


@pytest.mark.parametrize(
    ("text", "locale", "code"),
    [
        ("£51.77", None, "GBP"),
        ("£51.77", "en-GB", "GBP"),
        ("51,77 €", "de", "EUR"),
        ("€", "en-GB", "EUR"),
        ("CHF 5", "de-CH", "CHF"),
        ("GBP", None, "GBP"),
        ("EUR 5", None, "EUR"),
        ("CA$5", None, "CAD"),
        ("$5", "en-US", "USD"),
        ("$5", "en-CA", "CAD"),
        ("$5", "es-MX", "MXN"),
        ("5 kr", "sv-SE", "SEK"),
        ("5 kr", "da-DK", "DKK"),
        ("5 kr.", "da-DK", "DKK"),
        ("¥5", "ja-JP", "JPY"),
        ("¥5", "zh-CN", "CNY"),
        ("5 zł", "pl", "PLN"),
    ],
)
def test_a_currency(text: str, locale: str | None, code: str) -> None:
    assert read_currency(text, locale) == code


@pytest.mark.parametrize(
    ("text", "locale", "reason"),
    [
        ("$5", None, "does not say which currency"),
        ("$5", "en", "does not say which currency"),
        ("$5", "de-DE", "does not say which currency"),
        ("5 kr", "sv", "does not say which currency"),
        ("sold out", "en-GB", "does not say which currency"),
        ("12.00", "en-GB", "no currency in it"),
        ("$5 USD", "en-US", "two currencies in it"),
    ],
)
def test_a_currency_is_never_guessed(text: str, locale: str | None, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_currency(text, locale)


def test_both_spellings_of_a_locale_are_one() -> None:
    assert read_locale("en-GB") == read_locale("en_GB")
