"""The tables, one file per family; `metadata` is complete once this package is imported."""

from scraper.store.tables.metadata import FOREVER, metadata
from scraper.store.tables.outputs import exports
from scraper.store.tables.pages import bodies, drops, fetches
from scraper.store.tables.queue import crawls, hosts, links, runs, site_hosts, sites, urls
from scraper.store.tables.records import enrichments, records, scores, versions, yields

__all__ = [
    "FOREVER",
    "bodies",
    "crawls",
    "drops",
    "enrichments",
    "exports",
    "fetches",
    "hosts",
    "links",
    "metadata",
    "records",
    "runs",
    "scores",
    "site_hosts",
    "sites",
    "urls",
    "versions",
    "yields",
]
