"""The parse stage alone: kept pages read again by today's parsers, with no request sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from scrapy import Request

from scraper.errors import BodyDamaged, WrongUsage
from scraper.link_rule import NotFollowed, follow
from scraper.models import Link, Page
from scraper.origin import Base
from scraper.parse.kept_page import kept_page
from scraper.parse.reading import Reading, read_page
from scraper.parser import Parser, parsers_of
from scraper.project_version import project_version
from scraper.queue.crawl_rules import rules_of
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

    def count(self, page_type: str, reading: Reading) -> None:
        """Add a page that was read."""
        self.pages += 1
        self.records += len(reading.records)
        self.reasons.update(f"{page_type}: {drop.field or 'record'}" for drop in reading.drops)
        if reading.error is not None and not reading.drops:
            self.reasons[f"{page_type}: {reading.error}"] += 1

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
        bound = base_of(connection, site_id)
    base = Base(site.origin, bound) if bound else None
    result, total = Reparsed(), count_kept(database, wanted)
    for rows in kept_rows(database, wanted):
        read: list[tuple[KeptRow, Page, Reading]] = []
        for row in rows:
            try:
                page = kept_page(site, bodies, row.fetch, row.url, row.context)
            except BodyDamaged:
                result.damaged += 1
                continue
            read.append((row, page, read_page(parsers[row.page_type], page)))
            result.count(row.page_type, read[-1][2])
        _write(database, site, site_id, run_id, base, parsers, read, result)
        if watch:
            watch(f"reparse {site.name}", result.pages, total)
    with database.read() as connection:
        crawl = crawls.newest(connection, site_id)
    if crawl is not None:
        database.transact(lambda connection: crawls.refresh_figures(connection, crawl))
    return result


def _write(
    database: Database,
    site: Site,
    site_id: int,
    run_id: int,
    base: Base | None,
    parsers: dict[str, Parser],
    read: list[tuple[KeptRow, Page, Reading]],
    result: Reparsed,
) -> None:
    """Write what a batch gave, as of the newest crawl; when another begins meanwhile, again as of that one."""
    while read:
        with database.read() as connection:
            crawl = crawls.newest(connection, site_id)
        assert crawl is not None  # a kept page was fetched in one
        rules = rules_of(site, crawl)
        ends = [_end(site, base, rules, parsers[row.page_type], row, page, reading) for row, page, reading in read]
        written = unit_of_work.commit(database, Work(rules, run_id, project_version(), claimed=False), ends)
        with database.read() as connection:
            newest = crawls.newest(connection, site_id)
        if newest == crawl or any(written):
            break
    for end, one in zip(ends, written, strict=True) if read else ():
        result.overtaken += one is None
        result.new += one.links_new + one.links_visited if one else 0
        result.refused += one is not None and end.reason_code is not None


def _end(
    site: Site, base: Base | None, rules: CrawlRules, parser: Parser, row: KeptRow, page: Page, reading: Reading
) -> PageEnd:
    read = Read(row.id, row.fetch.id, row.fetch.body_hash, parser.version)
    if reading.error is not None:
        return unreadable(read, reading.error, reading.drops)
    # A page that the newest crawl did not see says nothing of what that crawl should have found.
    seen = row.crawl_id == rules.crawl_id
    links = list(_links(site, base, row, reading, page.base_url)) if seen else None
    final = _new_url(site, page.url, row.page_type, row.depth) if seen and row.fetch.final_url else None
    return parsed(read, links, reading.records, reading.drops, final)


def _new_url(site: Site, url: str, page_type: str, depth: int, link: Link | None = None) -> NewUrl:
    meta = {"page_type": page_type, "context": dict(link.context) if link else {}}
    request = Request(url, priority=link.priority if link else 0, meta=meta)
    return new_url(request, None, {name: one.varies for name, one in site.pages.items()}, depth=depth)


def _links(site: Site, base: Base | None, row: KeptRow, reading: Reading, page_url: str) -> Iterable[NewUrl]:
    for link in reading.links:
        try:
            url = follow(link, page_url, site, base)
        except NotFollowed:
            continue  # said when the page was crawled
        yield _new_url(site, url, link.page_type, row.depth + 1, link)
