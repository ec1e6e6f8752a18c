"""A site's enrichers, found by name, and the version of each."""

from __future__ import annotations

import hashlib

from scraper.code_version import version_of
from scraper.enrich.enricher import Enricher, Facts
from scraper.enrich.table import table_bytes
from scraper.models import Record
from scraper.rules.site_rules import check_kinds, rules_of
from scraper.sites import Site


def enrichers_of(site: Site) -> tuple[Enricher[Record, Facts], ...]:
    """`ENRICHERS` of `spiders/<site>/enrich.py`, none without that file; raises BrokenSite when they do not fit."""
    found: tuple[Enricher[Record, Facts], ...] = rules_of(site, "enrich", "ENRICHERS", Enricher, lambda one: one.enrich)
    for one in found:
        check_kinds(site, f"spiders/{site.name}/enrich.py: scope of {one.name}", *one.scope)
    return found


def rule_version(enricher: Enricher[Record, Facts], site: str) -> str:
    """16 hex digits that change with its code, its model and the content of its tables."""
    code = version_of(enricher.enrich.__module__)
    if not enricher.tables:
        return code
    total = hashlib.sha256(code.encode())
    for name in enricher.tables:
        content = table_bytes(site, name)
        total.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()[:16]
