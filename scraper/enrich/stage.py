"""The enrich stage: each enricher of a site over the records that lack its facts, or whose neighbours have changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from scraper.enrich.enricher import Enricher, Facts
from scraper.enrich.enrichers import enrichers_of, rule_version
from scraper.enrich.lookup import Lookup
from scraper.enrich.table import read_table
from scraper.errors import ModelMismatch
from scraper.models import Record
from scraper.parser import models_of
from scraper.rules.stage_report import StageReport, Swept
from scraper.rules.sweep import Watch, sweep
from scraper.sites import Site
from scraper.store.canonical import canonical
from scraper.store.database import Database
from scraper.store.enrichments import DueEnrichments
from scraper.store.facts import Due, Rule
from scraper.store.live_versions import count_live, newest, read_live
from scraper.store.stored_model import restore


def enrich_site(database: Database, site: Site, site_id: int, watch: Watch | None = None) -> StageReport:
    """Bring the site's enrichments up to date. Facts that come out as before make no new row."""
    models = models_of(site)
    passes = (_enrich(database, site.name, site_id, models, one, watch) for one in enrichers_of(site))
    return StageReport(site.name, "enrich", tuple(passes))


def _enrich(
    database: Database,
    site: str,
    site_id: int,
    models: Mapping[str, type[Record]],
    enricher: Enricher[Record, Facts],
    watch: Watch | None,
) -> Swept:
    rule = Rule(site_id, enricher.kind, enricher.name, rule_version(enricher, site))
    # The basis comes first: a change between it and what is looked up only makes its records due once more.
    source = DueEnrichments(rule, newest(database, site_id, enricher.scope))
    with database.read() as connection:
        records, due = count_live(connection, site_id, enricher.kind), source.count(connection)
        looked_up = {kind: _live(connection, site, site_id, models[kind]) for kind in enricher.scope} if due else {}
    lookup = Lookup(enricher.name, looked_up, {name: read_table(site, name) for name in enricher.tables})
    model = models[enricher.kind]

    def judge(one: Due) -> Mapping[str, Any]:
        facts = enricher.enrich(restore(model, one.data, f"reparse {site}"), lookup)
        if type(facts) is not enricher.output:
            raise TypeError(f"{enricher.name} gave {type(facts).__name__}; its output is {enricher.output.__name__}")
        return {"data": canonical(facts.model_dump(mode="python"))}

    return sweep(database, source, judge, "enrich", records, due, watch)


def _live(connection: Connection, site: str, site_id: int, model: type[Record]) -> list[Record]:
    """The live records of a kind; raises ModelMismatch for one that cannot be read: facts without it would be wrong."""
    found = []
    for key, data in read_live(connection, site_id, model.kind):
        try:
            found.append(restore(model, data, f"reparse {site}"))
        except ModelMismatch as error:
            raise ModelMismatch(f"{site}: {model.kind} {key}: {error}") from error
    return found
