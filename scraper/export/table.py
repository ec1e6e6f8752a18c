"""The columns of a kind of record, known from the models before any row is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel

from scraper.errors import BrokenSite
from scraper.export.value import Form, form_of
from scraper.models import Record
from scraper.schema_version import schema_version


class AddsFields(Protocol):
    """What an export must know of an enricher."""

    @property
    def name(self) -> str:
        """Its name in the table `enrichments`."""

    @property
    def kind(self) -> str:
        """The kind of record it adds to."""

    @property
    def output(self) -> type[BaseModel]:
        """The model of what it adds."""


class AddsScore(Protocol):
    """What an export must know of a scorecard."""

    @property
    def name(self) -> str:
        """Its name in the table `scores`."""

    @property
    def kind(self) -> str:
        """The kind of record it scores."""


@dataclass(frozen=True)
class Column:
    """One column of a file."""

    name: str
    """Its heading, unique in its table."""
    source: Literal["record", "enrichment", "score", "reasons"]
    """Where its values come from."""
    field: str
    """The field there."""
    origin: str = ""
    """The enricher or scorecard."""
    form: Form = "any"
    """How a stored value is read."""


@dataclass(frozen=True)
class Table:
    """What is exported of one kind of record."""

    kind: str
    """The kind."""
    columns: tuple[Column, ...]
    """The model's fields as declared, then the enrichers', then score and reasons."""
    schema_version: str
    """Of the record's model."""


def table_of(model: type[Record], enrichers: Iterable[AddsFields], scorecards: Iterable[AddsScore]) -> Table:
    """The table of a model. An added column whose name is taken gets its enricher's or scorecard's name in front.

    One scorecard gives `score` and `reasons`; several give `NAME_score` and `NAME_reasons` each.
    """
    columns = [
        Column(name, "record", name, form=form_of(field.annotation)) for name, field in model.model_fields.items()
    ]
    for enricher in enrichers:
        if enricher.kind == model.kind:
            columns += [
                Column(
                    _free(columns, name, enricher.name), "enrichment", name, enricher.name, form_of(field.annotation)
                )
                for name, field in enricher.output.model_fields.items()
            ]
    ours = [card for card in scorecards if card.kind == model.kind]
    for card in ours:
        for source in ("score", "reasons"):
            name = source if len(ours) == 1 else f"{card.name}_{source}"
            columns.append(Column(_free(columns, name, card.name), source, source, card.name))
    return Table(model.kind, tuple(columns), schema_version(model))


def _free(columns: Sequence[Column], name: str, origin: str) -> str:
    taken = {column.name for column in columns}
    if name not in taken:
        return name
    if (longer := f"{origin}_{name}") not in taken:
        return longer
    raise BrokenSite(f"two export columns are named {longer!r}; rename a field of {origin}")
