"""The interface of an enricher. It imports little: a change in what it imports runs every enricher again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from scraper.enrich.lookup import Lookup
from scraper.models import Record


class Facts(BaseModel):
    """What an enricher adds to a record: a model of its own, strict like the record."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


R = TypeVar("R", bound=Record)
F = TypeVar("F", bound=Facts)


@dataclass(frozen=True, kw_only=True)
class Enricher(Generic[R, F]):
    """A pure rule that adds facts to the records of one kind: the same record and lookup give the same facts."""

    name: str
    """Its name in tables and columns: small letters, digits, underscores."""
    kind: str
    """The kind of record it enriches."""
    output: type[F]
    """The model of its facts."""
    enrich: Callable[[R, Lookup], F]
    """A plain function: the record and what may be looked up in, to the facts. Its module is the rule's version."""
    scope: tuple[str, ...] = ()
    """The kinds of record it looks up; when one of them changed, all its records are enriched again."""
    tables: tuple[str, ...] = ()
    """The reference tables it reads; their content is part of its version."""
