"""A site's scorecards, found by name, and the version of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from scraper.code_version import version_of
from scraper.models import Record
from scraper.rules.site_rules import rules_of
from scraper.score.scorecard import Scorecard
from scraper.sites import Site


def scorecards_of(site: Site) -> tuple[Scorecard[Record], ...]:
    """`SCORECARDS` of `spiders/<site>/score.py`, none without that file; raises BrokenSite when they do not fit."""
    return rules_of(site, "score", "SCORECARDS", Scorecard, lambda one: one.score)


def rule_version(card: Scorecard[Record], enrichers: Iterable[str]) -> str:
    """16 hex digits that change with its code and with the set of enrichers whose facts it is given."""
    told = "\0".join((version_of(card.score.__module__), *sorted(enrichers)))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
