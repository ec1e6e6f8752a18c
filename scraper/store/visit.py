"""The rule of what happens to a known address that is seen again: visit it, or believe what is kept of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from scraper.sites import Refresh
from scraper.store.clock import micros_of

Seen = Literal["visit", "fresh", "settled"]
HEALS_IN_THE_NEXT_CRAWL = ("network", "block", "lost", "deferred", "proxy", "session")
HEALS_WITH_THE_PARSER = ("parse", "validate", "store")
NEVER_HEALS_BY_ITSELF = ("robots", "scope", "killer", "link")


@dataclass(frozen=True)
class CrawlRules:
    """What a crawl knows of its site when it decides on an address."""

    site_id: int
    """The site."""
    crawl_id: int
    """The crawl."""
    started_at: int
    """When it began: freshness is counted from here, so a resumed crawl answers the same."""
    fresh: bool
    """Whether everything is fetched again."""
    refresh: Mapping[str, Refresh]
    """By page type: when a kept page is fetched again."""
    versions: Mapping[str, str]
    """By page type: the version of today's parser."""


@dataclass(frozen=True)
class KnownUrl:
    """A row of the queue, as far as the rule looks at it."""

    id: int
    fp: bytes
    crawl_id: int
    page_type: str
    status: str
    reason_code: str | None
    fetch_id: int | None
    fetched_at: int | None
    fetched_crawl_id: int | None
    parser_version: str | None
    links_out: int


def why_due(
    rules: CrawlRules, page_type: str, fetch_id: int | None, fetched_at: int | None, fetched_crawl_id: int | None
) -> str | None:
    """Why the page must be asked for in this crawl, or None. A page fetched in a crawl is not due in it again."""
    if fetch_id is None or fetched_at is None:
        return "no answer is kept"
    if fetched_crawl_id == rules.crawl_id:
        return None
    if rules.fresh:
        return "the crawl fetches everything again"
    match rules.refresh.get(page_type, "every_crawl"):
        case "never":
            return None
        case timedelta() as span:
            return "kept answer too old" if fetched_at + micros_of(span) <= rules.started_at else None
        case _:
            return "fetched in every crawl"


def seen_again(rules: CrawlRules, row: KnownUrl) -> Seen:
    """What to do with an address of an earlier crawl: `visit` it, take it as `fresh`, or leave its error `settled`.

    A page with links is visited even when it is fresh, because what it links to must be seen in this crawl too.
    """
    if row.status == "error" and row.reason_code in NEVER_HEALS_BY_ITSELF:
        return "settled"
    if why_due(rules, row.page_type, row.fetch_id, row.fetched_at, row.fetched_crawl_id):
        return "visit"
    parser_changed = row.parser_version != rules.versions.get(row.page_type)
    if row.status == "parsed":
        return "visit" if row.links_out or parser_changed else "fresh"
    if row.status == "error":
        heals = row.reason_code in HEALS_IN_THE_NEXT_CRAWL or parser_changed
        return "visit" if heals else "settled"
    return "visit"
