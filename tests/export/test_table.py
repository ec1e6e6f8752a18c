"""Columns come from the models, in a fixed order, before any row is read."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, NewType

import pytest
from pydantic import BaseModel

from scraper.errors import BrokenSite
from scraper.export.table import table_of
from scraper.export.value import form_of
from scraper.models import Record
from tests.export.shop import Branch, Enricher, Product, Scorecard


def names(*, enrichers=(), scorecards=(), model: type[Record] = Product) -> list[str]:
    return [column.name for column in table_of(model, enrichers, scorecards).columns]


def test_model_then_enrichments_then_score() -> None:
    assert names(enrichers=[Enricher()], scorecards=[Scorecard()]) == [
        *("sku", "title", "price", "stock", "since", "tags"),
        *("median", "margin_stock"),  # `stock` is the record's
        *("score", "reasons"),
    ]


def test_other_kinds_get_nothing_of_it() -> None:
    assert names(enrichers=[Enricher()], scorecards=[Scorecard()], model=Branch) == ["city", "opened"]


def test_several_scorecards_bear_their_names() -> None:
    assert names(scorecards=[Scorecard("value"), Scorecard("rank")])[-4:] == [
        *("value_score", "value_reasons", "rank_score", "rank_reasons")
    ]


def test_a_name_that_cannot_be_made_unique_is_refused() -> None:
    class Both(BaseModel):
        sku: str

    with pytest.raises(BrokenSite, match="margin_sku"):
        names(enrichers=[Enricher(output=Both), Enricher(output=Both)])


def test_a_score_of_the_record_itself_keeps_its_name() -> None:
    class Game(Record):
        key = ("score",)
        score: int

    @dataclass(frozen=True)
    class Card:
        name: str = "fun"
        kind: str = "game"

    assert names(scorecards=[Card()], model=Game) == ["score", "fun_score", "reasons"]


@pytest.mark.parametrize(
    ("annotation", "form"),
    [
        (Decimal, "decimal"),
        (Decimal | None, "decimal"),
        (Annotated[Decimal, "money"] | None, "decimal"),
        (NewType("Money", Decimal), "decimal"),
        (datetime, "moment"),
        (date | None, "day"),
        (Decimal | str, "any"),
        (str, "any"),
        (list[Decimal], "any"),
    ],
)
def test_form_of_a_field(annotation: object, form: str) -> None:
    assert form_of(annotation) == form
