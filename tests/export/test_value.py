"""The same value has the same text everywhere (cases py-05, js-03, xl-09)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from scraper.export.value import json_of, read_value, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (12345678901234567890, "12345678901234567890"),
        (0.00001, "0.00001"),
        (-0.02, "-0.02"),
        (Decimal("1E+3"), "1000"),
        (Decimal("19.90"), "19.90"),
        (date(1234, 1, 1), "1234-01-01"),
        (datetime(2024, 5, 1, tzinfo=UTC), "2024-05-01T00:00:00+00:00"),
        (["a", "b"], '["a","b"]'),
        ({"w": 1}, '{"w":1}'),
    ],
)
def test_text(value: object, text: str) -> None:
    assert text_of(value) == text


def test_json_keeps_types_and_order() -> None:
    row = {"p": Decimal("1.10"), "a": None, "d": date(1234, 1, 1), "n": 2, "s": [1], "t": "ä"}
    assert json_of(row) == '{"p":"1.10","a":null,"d":"1234-01-01","n":2,"s":[1],"t":"ä"}'


def test_what_an_older_model_wrote_stays_as_it_was_stored() -> None:
    assert read_value("decimal", "about 5") == "about 5"
    assert read_value("decimal", "NaN") == "NaN"
    assert read_value("day", "tomorrow") == "tomorrow"
    assert read_value("decimal", 5) == 5
    assert read_value("decimal", "51.770") == Decimal("51.770")
