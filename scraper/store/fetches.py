"""Speaks to `bodies` and `fetches`: a network answer that was accepted, entered before it is parsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select, update

from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.runs import is_live
from scraper.store.tables import bodies, fetches, urls


@dataclass(frozen=True)
class NewFetch:
    """An answer to be entered. Its body lies on disk already, whole and synced."""

    url_id: int
    """The row that asked."""
    crawl_id: int
    """The crawl it was asked in."""
    run_id: int
    """The run that asked and holds the row."""
    http_status: int
    """The HTTP status."""
    headers: str
    """The headers, as canonical JSON: lower-case name to list of values."""
    body_hash: bytes | None
    """The body; None for an answer that is not the page (404, 410)."""
    bytes: int
    """The body's length, decompressed."""
    stored_bytes: int
    """The length of its file."""
    final_url: str | None
    """The address it came from, when redirects led elsewhere."""
    tier: str
    """How it was fetched."""
    seconds: float
    """From the request to the head of the answer, without the wait for the host's turn."""


_SHARED = (
    "url_id",
    "crawl_id",
    "run_id",
    "http_status",
    "headers",
    "body_hash",
    "bytes",
    "final_url",
    "tier",
    "seconds",
)
"""What a row takes from NewFetch as it is."""


@dataclass(frozen=True)
class Entered:
    """What the database made of an answer."""

    fetch_id: int
    """Its row."""
    at: int
    """When it was entered, by the database's clock; the fetch time of the page."""


@dataclass(frozen=True)
class KeptFetch:
    """An answer that is kept."""

    id: int
    at: int
    http_status: int
    headers: str
    body_hash: bytes
    final_url: str | None


def enter(database: Database, wanted: Sequence[NewFetch]) -> list[Entered | None]:
    """Enter answers in one transaction; None for a row the run does not hold any more."""
    entered = database.transact(lambda connection: _enter(database, connection, wanted))
    cut_point("fetch:entered")
    return entered


def _enter(database: Database, connection: Connection, wanted: Sequence[NewFetch]) -> list[Entered | None]:
    now = database.now(connection)
    rows = connection.execute(
        select(urls.c.id, urls.c.claimed_by, urls.c.status, urls.c.fetch_id, urls.c.fetched_at, urls.c.fetched_crawl_id)
        .where(urls.c.id.in_(sorted(fetch.url_id for fetch in wanted)), urls.c.status.in_(("in_progress", "fetched")))
        .order_by(urls.c.id)
        .with_for_update()
    )
    found = {row.id: row for row in rows}
    live = {run_id: is_live(connection, run_id) for run_id in {fetch.run_id for fetch in wanted}}
    mine = [
        fetch
        for fetch in wanted
        if live[fetch.run_id] and (row := found.get(fetch.url_id)) and row.claimed_by == fetch.run_id
    ]
    # A connection lost while it committed: the answer is in, and this is the repetition.
    before = {
        row.id: Entered(row.fetch_id, row.fetched_at)
        for fetch in mine
        if (row := found[fetch.url_id]).status == "fetched" and row.fetched_crawl_id == fetch.crawl_id
    }
    held = [fetch for fetch in mine if fetch.url_id not in before]
    kept = {fetch.body_hash: fetch for fetch in held if fetch.body_hash is not None}
    if kept:
        connection.execute(
            database.dialect.insert_missing(bodies),
            [
                {"hash": key, "bytes": kept[key].bytes, "stored_bytes": kept[key].stored_bytes, "touched_at": now}
                for key in sorted(kept)
            ],
        )
        connection.execute(update(bodies).where(bodies.c.hash.in_(sorted(kept))).values(touched_at=now))
    if not held:
        return [before.get(fetch.url_id) for fetch in wanted]
    add(connection, held, now)
    newest = select(fetches.c.url_id, func.max(fetches.c.id)).where(fetches.c.url_id.in_([f.url_id for f in held]))
    entered = {url: Entered(number, now) for url, number in connection.execute(newest.group_by(fetches.c.url_id))}
    changed = (
        update(urls)
        .where(urls.c.id == bindparam("row"))
        .values(
            status="fetched",
            fetch_id=bindparam("fetch"),
            fetched_at=now,
            fetched_crawl_id=bindparam("crawl"),
        )
    )
    if pages := [fetch for fetch in held if fetch.body_hash is not None]:
        connection.execute(
            changed,
            [
                {"row": fetch.url_id, "fetch": entered[fetch.url_id].fetch_id, "crawl": fetch.crawl_id}
                for fetch in sorted(pages, key=lambda fetch: fetch.url_id)
            ],
        )
    cut_point("fetch:inside")
    known = before | {fetch.url_id: entered[fetch.url_id] for fetch in held}
    return [known.get(fetch.url_id) for fetch in wanted]


def add(connection: Connection, answers: Sequence[NewFetch], now: int) -> None:
    """Insert their rows; the pages' own rows are the caller's."""
    if answers:
        connection.execute(
            fetches.insert(), [{"at": now, **{name: getattr(one, name) for name in _SHARED}} for one in answers]
        )


def kept_fetch(connection: Connection, fetch_id: int) -> KeptFetch | None:
    """The kept answer of that number; None when it has no body."""
    row = (
        connection.execute(
            select(
                fetches.c.id,
                fetches.c.at,
                fetches.c.http_status,
                fetches.c.headers,
                fetches.c.body_hash,
                fetches.c.final_url,
            ).where(fetches.c.id == fetch_id, fetches.c.body_hash.is_not(None))
        )
        .mappings()
        .first()
    )
    return KeptFetch(**row) if row else None
