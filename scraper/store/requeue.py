"""Puts pages that ended in error back into the queue of the site's newest crawl, on an operator's word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, Connection, and_, func, select, update

from scraper.store import crawls, runs
from scraper.store.crawls import Crawl
from scraper.store.database import Database
from scraper.store.tables import sites, urls
from scraper.store.visit import HEALS_IN_THE_NEXT_CRAWL, HEALS_WITH_THE_PARSER, NEVER_HEALS_BY_ITSELF

REASONS = tuple(sorted((*HEALS_IN_THE_NEXT_CRAWL, *HEALS_WITH_THE_PARSER, *NEVER_HEALS_BY_ITSELF, "gone")))
"""Every code an error can have."""


@dataclass(frozen=True)
class Requeued:
    """What a requeue did."""

    crawl: Crawl | None
    """The crawl the pages wait in, as it stands now; None when the site was never crawled."""
    counts: Mapping[str, int]
    """Pages put back, by the reason they were in error for."""
    unkept: int
    """Pages left alone, because their request could not be stored: asked by address alone they would be others."""
    reopened: bool
    """Whether the crawl was closed before."""
    why_new_crawl: str | None
    """Why the next `scrapy crawl` will not go on with this crawl, or None."""

    @property
    def total(self) -> int:
        """Pages put back."""
        return sum(self.counts.values())

    def lines(self, site: str) -> list[str]:
        """The result as a person reads it, with what to type next."""
        found = []
        if self.crawl is None or not self.counts:
            found.append(f"{site}: no page to put back")
        else:
            reasons = ", ".join(f"{count:,} {code}" for code, count in sorted(self.counts.items()))
            opened = ", which is open again" if self.reopened else ""
            wait = "page ({}) waits" if self.total == 1 else "pages ({}) wait"
            found.append(f"{site}: {self.total:,} {wait.format(reasons)} in crawl {self.crawl.no}{opened}")
        if self.unkept:
            left = "1 page was left" if self.unkept == 1 else f"{self.unkept:,} pages were left"
            found.append(f"{site}: {left}: what the spider asked for cannot be stored")
        if self.why_new_crawl:
            found.append(f"{site}: the next crawl will be a new one ({self.why_new_crawl}); it visits them as it goes")
        if self.counts:
            found.append(f"go on: scrapy crawl {site}")
        return found


def requeue(
    database: Database, connection: Connection, site_id: int, reason: str | None, resume_within: timedelta
) -> Requeued:
    """Make error rows of the site pending again, all or those of one reason; run it in one writing transaction.

    Rows that were last seen in an earlier crawl join the newest. What is kept of a page stays: a page that could not be
    read is read again from its kept body, and asked for again only when it is due. `parsed_hash` needs no change: it is
    empty for such a page.
    """
    # Crawls are opened under this lock too, so the newest one stays the newest.
    connection.execute(select(sites.c.id).where(sites.c.id == site_id).with_for_update()).one()
    crawl = crawls.newest(connection, site_id)
    if crawl is None:
        return Requeued(None, {}, 0, False, None)
    crawls.lock(connection, crawl.id)
    crawl = crawls.find(connection, crawl.id)
    failed = and_(urls.c.site_id == site_id, urls.c.status == "error", urls.c.crawl_id <= crawl.id)
    if reason is not None:
        failed = and_(failed, urls.c.reason_code == reason)
    unkept = and_(urls.c.reason_code == "link", urls.c.request.is_(None))
    counts = _by_reason(connection, and_(failed, ~unkept))
    left = sum(_by_reason(connection, and_(failed, unkept)).values())
    if not counts:
        return Requeued(crawl, {}, left, False, None)
    connection.execute(
        update(urls)
        .where(failed, ~unkept)
        .values(
            crawl_id=crawl.id,
            status="pending",
            due=0,
            attempts=0,
            strikes=0,
            claimed_by=None,
            stage=None,
            reason_code=None,
            reason=None,
        )
    )
    reopened = crawl.state != "open"
    if reopened:
        crawls.reopen(connection, crawl)
    crawl = crawls.find(connection, crawl.id)
    worked_on = runs.live_runs(connection, site_id, runs.CRAWLING)
    too_old = None if worked_on else crawls.why_not_resumed(crawl, database.now(connection), resume_within)
    return Requeued(crawl, counts, left, reopened, too_old)


def _by_reason(connection: Connection, which: ColumnElement[bool]) -> dict[str, int]:
    query = select(urls.c.reason_code, func.count()).where(which).group_by(urls.c.reason_code)
    return dict(list(connection.execute(query)))
