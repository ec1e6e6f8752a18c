"""Speaks to `drops`: what was refused of a page, until the page is parsed again."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, update

from scraper.store.chunks import chunks
from scraper.store.page_end import NewDrop
from scraper.store.tables import drops


@dataclass(frozen=True)
class Dropped:
    """A drop with the page it is of."""

    url_id: int
    """The page."""
    crawl_id: int
    """The crawl the page was last seen in."""
    body_hash: bytes | None
    """The body that was read."""
    drop: NewDrop
    """What was refused."""


def clear_drops(connection: Connection, pages: Iterable[int], now: int) -> None:
    """Close the open drops of pages that were parsed again."""
    for piece in chunks(sorted(pages)):
        connection.execute(
            update(drops).where(drops.c.url_id.in_(piece), drops.c.cleared_at.is_(None)).values(cleared_at=now)
        )


def add_drops(connection: Connection, found: Iterable[Dropped], run_id: int, now: int) -> None:
    """Write drops, in the order given."""
    rows = [
        {
            "url_id": one.url_id,
            "crawl_id": one.crawl_id,
            "run_id": run_id,
            "stage": one.drop.stage,
            "code": one.drop.code,
            "kind": one.drop.kind,
            "field": one.drop.field[:190].encode("ascii", "replace").decode() if one.drop.field else None,
            "reason": one.drop.reason,
            "body_hash": one.body_hash,
            "at": now,
        }
        for one in found
    ]
    for piece in chunks(rows):
        connection.execute(drops.insert(), piece)
