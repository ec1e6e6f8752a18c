"""Names pages of a crawl that ended in error, a few for each reason, so that somebody can look at one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from scraper.store.tables import urls


@dataclass(frozen=True)
class FailedPage:
    """A page that ended in error."""

    url: str
    """Its address."""
    page_type: str
    """What parses it."""
    stage: str
    """Where it happened."""
    code: str
    """The reason's code."""
    reason: str
    """What happened."""


def failed_pages(connection: Connection, crawl_id: int, codes: Iterable[str], most: int = 5) -> Iterator[FailedPage]:
    """For each code the oldest addresses that are in error for it, at most so many."""
    failed = (
        select(urls.c.url, urls.c.page_type, urls.c.stage, urls.c.reason_code, urls.c.reason)
        .where(urls.c.crawl_id == crawl_id, urls.c.status == "error")
        .order_by(urls.c.id)
        .limit(most)
    )
    for code in codes:
        for row in connection.execute(failed.where(urls.c.reason_code == code)):
            yield FailedPage(row.url, row.page_type, row.stage or "", row.reason_code, row.reason or "")
