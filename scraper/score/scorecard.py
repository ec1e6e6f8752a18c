"""The interface of a scorecard. It imports little: a change in what it imports runs every scorecard again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from scraper.enrich.enricher import Facts
from scraper.models import Record

R = TypeVar("R", bound=Record)
FactsByName = Mapping[str, Facts | None]


@dataclass(frozen=True)
class Score:
    """A judgement: a number, and why."""

    value: float
    """The number; finite."""
    reasons: tuple[str, ...]
    """What it is made of, a line each; at least one."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"a score must be a finite number, not {self.value}")
        if not self.reasons:
            raise ValueError("a score needs its reasons")


@dataclass(frozen=True, kw_only=True)
class Scorecard(Generic[R]):
    """A pure rule that judges the records of one kind: the same record and facts give the same score."""

    name: str
    """Its name in tables and columns: small letters, digits, underscores."""
    kind: str
    """The kind of record it judges."""
    score: Callable[[R, FactsByName], Score]
    """A plain function: the record and its facts by enricher (None where there are none yet), to the score.
    Its module is the rule's version."""
