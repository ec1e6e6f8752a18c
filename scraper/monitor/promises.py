"""Holds a crawl against what its site card promises."""

from sqlalchemy import Connection, func, select

from scraper.sites import Site
from scraper.store.crawls import find
from scraper.store.figures import figures_before
from scraper.store.tables import FOREVER, records, urls, versions


def broken_promises(connection: Connection, site: Site, site_id: int, crawl_id: int) -> list[str]:
    """One sentence for each promise that the crawl broke; empty when it is healthy.

    Records count that the crawl saw: those of yesterday live on when a parser breaks, and would hide that it did.
    """
    seen = (
        select(func.count())
        .select_from(versions)
        .join(records, records.c.id == versions.c.record_id)
        .where(versions.c.site_id == site_id, versions.c.valid_to == FOREVER, versions.c.state == "live")
        .where(records.c.last_crawl_id == crawl_id)
    )
    records_seen = connection.execute(seen).scalar_one()
    crawl = find(connection, crawl_id)
    before = (sum(figures["records_seen"].values()) for figures in figures_before(connection, site_id, crawl.no))
    found = urls.c.crawl_id == crawl_id
    walled = (urls.c.status == "error") & (urls.c.reason_code == "block")
    reasons = (
        why_too_few(records_seen, site.promises.records)
        or why_too_gone(records_seen, max(before, default=0), site.promises.most_gone),
        why_too_blocked(
            connection.execute(select(func.count()).where(found, walled)).scalar_one(),
            connection.execute(select(func.count()).where(found)).scalar_one(),
            site.promises.most_blocked,
        ),
    )
    return [reason for reason in reasons if reason]


def why_too_few(records: int, promised: int) -> str | None:
    """Why so many records are too few, or None."""
    return f"records: {records:,}, promised at least {promised:,}" if records < promised else None


def why_too_gone(records: int, before: int, most: float) -> str | None:
    """Why so many records fewer than the best of the last crawls are too many fewer, or None."""
    if not before or 1 - records / before <= most:
        return None
    return f"records: {records:,}, and {before:,} in an earlier crawl, promised at most {most:.0%} gone"


def why_too_blocked(blocked: int, addresses: int, most: float) -> str | None:
    """Why so many blocked addresses of a crawl are too many, or None."""
    if not addresses or blocked / addresses <= most:
        return None
    return f"blocked: {blocked:,} of {addresses:,} addresses ({blocked / addresses:.1%}), promised at most {most:.1%}"
