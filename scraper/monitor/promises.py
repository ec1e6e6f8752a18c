"""Holds a crawl against what its site card promises."""

from sqlalchemy import Connection, func, select

from scraper.sites import Site
from scraper.store.tables import FOREVER, urls, versions


def broken_promises(connection: Connection, site: Site, site_id: int, crawl_id: int) -> list[str]:
    """One sentence for each promise that the crawl broke; empty when it is healthy."""
    live = select(func.count()).where(
        versions.c.site_id == site_id, versions.c.valid_to == FOREVER, versions.c.state == "live"
    )
    found = urls.c.crawl_id == crawl_id
    walled = (urls.c.status == "error") & (urls.c.reason_code == "block")
    reasons = (
        why_too_few(connection.execute(live).scalar_one(), site.promises.records),
        why_too_blocked(
            connection.execute(select(func.count()).where(found, walled)).scalar_one(),
            connection.execute(select(func.count()).where(found)).scalar_one(),
            site.promises.most_blocked,
        ),
    )
    return [reason for reason in reasons if reason]


def why_too_few(records: int, promised: int) -> str | None:
    """Why so many live records are too few, or None."""
    return f"records: {records:,}, promised at least {promised:,}" if records < promised else None


def why_too_blocked(blocked: int, addresses: int, most: float) -> str | None:
    """Why so many blocked addresses of a crawl are too many, or None."""
    if not addresses or blocked / addresses <= most:
        return None
    return f"blocked: {blocked:,} of {addresses:,} addresses ({blocked / addresses:.1%}), promised at most {most:.1%}"
