"""The score stage: each scorecard of a site over the records that lack its score, or whose enrichments have changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scraper.enrich.enricher import Facts
from scraper.enrich.enrichers import enrichers_of
from scraper.models import Record
from scraper.parser import models_of
from scraper.rules.stage_report import StageReport, Swept
from scraper.rules.sweep import Watch, sweep
from scraper.score.scorecard import Score, Scorecard
from scraper.score.scorecards import rule_version, scorecards_of
from scraper.sites import Site
from scraper.store.canonical import canonical
from scraper.store.database import Database
from scraper.store.facts import Due, Rule
from scraper.store.live_versions import count_live
from scraper.store.scores import DueScores
from scraper.store.stored_model import restore


def score_site(database: Database, site: Site, site_id: int, watch: Watch | None = None) -> StageReport:
    """Bring the site's scores up to date. A score that comes out as before makes no new row."""
    models, enrichers = models_of(site), enrichers_of(site)
    passes = []
    for card in scorecards_of(site):
        outputs = {one.name: one.output for one in enrichers if one.kind == card.kind}
        passes.append(_score(database, site.name, site_id, models[card.kind], card, outputs, watch))
    return StageReport(site.name, "score", tuple(passes))


def _score(
    database: Database,
    site: str,
    site_id: int,
    model: type[Record],
    card: Scorecard[Record],
    outputs: Mapping[str, type[Facts]],
    watch: Watch | None,
) -> Swept:
    source = DueScores(Rule(site_id, card.kind, card.name, rule_version(card, outputs)), tuple(outputs))
    with database.read() as connection:
        records, due = count_live(connection, site_id, card.kind), source.count(connection)

    def judge(one: Due) -> Mapping[str, Any]:
        facts = {
            name: restore(output, one.facts[name], f"enrich {site}") if name in one.facts else None
            for name, output in outputs.items()
        }
        found = card.score(restore(model, one.data, f"reparse {site}"), facts)
        if not isinstance(found, Score):
            raise TypeError(f"{card.name} gave {type(found).__name__}; it must give a Score")
        return {"value": float(found.value), "reasons": canonical(list(found.reasons))}

    return sweep(database, source, judge, "score", records, due, watch)
