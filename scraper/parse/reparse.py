"""The parse stage alone: kept pages read again by today's parsers, with no request sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from scrapy import Request

from scraper.errors import BodyDamaged, WrongUsage
from scraper.link_rule import NotFollowed, follow
from scraper.origin import Base
from scraper.parse.kept_page import kept_page
from scraper.parse.reading import Reading, read_page
from scraper.parser import Parser, parsers_of
from scraper.project_version import project_version
from scraper.queue.ending import Read, parsed, unreadable
from scraper.queue.new_url import new_url
from scraper.sites import Site
from scraper.store import crawls, unit_of_work
from scraper.store.body_store import BodyStore
from scraper.store.database import Database
from scraper.store.kept_rows import KeptRow, Wanted, count_kept, kept_rows
from scraper.store.page_end import PageEnd
from scraper.store.sites import base_of
from scraper.store.unit_of_work import Work
from scraper.store.urls import NewUrl
from scraper.store.visit import CrawlRules

Watch = Callable[[str, int, int], None]
"""Told what is counted, how many are done, and of how many."""


@dataclass
class Reparsed:
    """What a reparse came to."""

    pages: int = 0
    """Pages read."""
    records: int = 0
    """Valid records they gave."""
    refused: int = 0
    """Pages that are in error now."""
    damaged: int = 0
    """Pages whose body is missing or damaged; the next crawl fetches them again."""
    overtaken: int = 0
    """Pages that a crawl took or fetched meanwhile; nothing of them was written."""
    new: int = 0
    """Addresses put into the queue."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Page type and field, or reason, of what was refused."""
    links: Counter[str] = field(default_factory=Counter)
    """Links not followed, by reason."""

    def lines(self, site: str) -> list[str]:
        """The result as a person reads it."""
        found = [f"{site}: {self.pages:,} kept pages read, {self.records:,} records, {self.refused:,} pages in error"]
        found += [f"  {count:,} x {reason}" for reason, count in self.reasons.most_common(8)]
        if self.damaged:
            found.append(f"  {self.damaged:,} bodies missing or damaged: the next crawl fetches them again")
        if self.overtaken:
            found.append(f"  {self.overtaken:,} pages were left to a crawl that has them now")
        if self.new:
            wait = "1 address waits" if self.new == 1 else f"{self.new:,} addresses wait"
            found.append(f"  {wait} in the queue; go on: scrapy crawl {site}")
        return found


def wanted_pages(
    site: Site, site_id: int, page_type: str | None, errors: bool, everything: bool
) -> tuple[dict[str, Parser], Wanted]:
    """The parsers to be used, and which pages they are to read; raises WrongUsage for an unknown page type."""
    parsers = parsers_of(site)
    if page_type is not None and page_type not in parsers:
        raise WrongUsage(f"--page {page_type}: {site.name} has no such page type; there are: {', '.join(parsers)}")
    chosen = {name: parser for name, parser in parsers.items() if page_type in (None, name)}
    versions = {name: parser.version for name, parser in chosen.items()}
    return chosen, Wanted(site_id, versions, errors=errors, everything=everything)


def reparse_site(
    database: Database,
    site: Site,
    site_id: int,
    run_id: int,
    bodies: BodyStore,
    parsers: dict[str, Parser],
    wanted: Wanted,
    watch: Watch | None = None,
) -> Reparsed:
    """Read the wanted pages and write what they give, a batch in one transaction. Fetch times stay as they are."""
    with database.read() as connection:
        crawl = crawls.newest(connection, site_id)
        bound = base_of(connection, site_id)
    result = Reparsed()
    if crawl is None:
        return result
    base = Base(site.origin, bound) if bound else None
    rules = CrawlRules(
        site_id=site_id,
        crawl_id=crawl.id,
        started_at=crawl.started_at,
        fresh=False,
        refresh={name: page.refresh for name, page in site.pages.items()},
        versions={name: parser.version for name, parser in parsers_of(site).items()},
    )
    work = Work(rules, run_id, project_version(), claimed=False)
    total = count_kept(database, wanted)
    for rows in kept_rows(database, wanted):
        ends: list[PageEnd] = []
        for row in rows:
            try:
                page = kept_page(site, bodies, row.fetch, row.url, row.context)
            except BodyDamaged:
                result.damaged += 1
                continue
            parser = parsers[row.page_type]
            reading = read_page(parser, page)
            ends.append(_end(site, base, row, parser, reading, page.base_url, crawl.id, result))
        for end, written in zip(ends, unit_of_work.commit(database, work, ends), strict=True):
            result.overtaken += written is None
            result.new += written.links_new + written.links_visited if written else 0
            result.refused += end.reason_code is not None
        if watch:
            watch(f"reparse {site.name}", result.pages, total)
    with database.write() as connection:
        crawls.refresh_figures(connection, crawl)
    return result


def _end(
    site: Site,
    base: Base | None,
    row: KeptRow,
    parser: Parser,
    reading: Reading,
    page_url: str,
    crawl_id: int,
    result: Reparsed,
) -> PageEnd:
    result.pages += 1
    result.records += len(reading.records)
    result.reasons.update(f"{row.page_type}: {drop.field or 'record'}" for drop in reading.drops)
    read = Read(row.id, row.fetch.id, row.fetch.body_hash, parser.version)
    if reading.error is not None:
        if not reading.drops:
            result.reasons[f"{row.page_type}: {reading.error}"] += 1
        return unreadable(read, reading.error, reading.drops)
    # A page that the newest crawl did not see says nothing of what that crawl should have found.
    links = list(_links(site, base, row, reading, page_url, result)) if row.crawl_id == crawl_id else None
    return parsed(read, links, reading.records, reading.drops, None)


def _links(
    site: Site, base: Base | None, row: KeptRow, reading: Reading, page_url: str, result: Reparsed
) -> Iterable[NewUrl]:
    varies = {name: page.varies for name, page in site.pages.items()}
    for link in reading.links:
        try:
            url = follow(link, page_url, site, base)
        except NotFollowed as error:
            result.links[error.reason] += 1
            continue
        meta = {"page_type": link.page_type, "context": dict(link.context)}
        request = Request(url, priority=link.priority, meta=meta)
        yield new_url(request, None, varies, depth=row.depth + 1)
