"""The records that a group of pages gave, as they stand: rows locked, current versions, and who still gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select, tuple_

from scraper.store.chunks import chunks
from scraper.store.database import Database
from scraper.store.page_end import NewRecord
from scraper.store.tables import fetches, records, urls, versions, yields

Key = tuple[str, bytes]


@dataclass
class Current:
    """A record as it stands, and as it changes while the group is written."""

    id: int
    """Its row."""
    owner: int
    """The page that owns it."""
    version_id: int
    """Its current version; 0 for a record that has none yet."""
    last_crawl_id: int
    """The newest crawl it was seen in."""
    no: int = 0
    """The current version's number."""
    live: bool = False
    """Whether the current version is not `gone`."""
    data_hash: bytes = b""
    """The current version's data."""
    valid_from: int = 0
    """Since when it holds."""
    body_hash: bytes | None = None
    """The body it came from."""
    renewed: bool = False
    """Whether this group has made a version of it."""


def lock_records(
    database: Database,
    connection: Connection,
    site_id: int,
    pages: Mapping[int, tuple[int, tuple[NewRecord, ...]]],
    now: int,
) -> dict[Key, Current]:
    """The records that these pages gave, by kind and key, made where missing, their rows locked in key order.

    `pages`: by page, the crawl it was last seen in and what it gave.
    """
    wanted: dict[Key, dict[str, object]] = {}
    for url_id, (crawl_id, found) in sorted(pages.items()):
        for record in found:
            wanted.setdefault(
                (record.kind, record.key_hash),
                {
                    "site_id": site_id,
                    "kind": record.kind,
                    "key_hash": record.key_hash,
                    "key": record.key,
                    "version_id": 0,
                    "owner_url_id": url_id,
                    "first_seen": now,
                    "last_seen": now,
                    "last_crawl_id": crawl_id,
                },
            )
    current: dict[Key, Current] = {}
    for keys in chunks(sorted(wanted)):
        named = tuple_(records.c.kind, records.c.key_hash).in_(keys)
        query = select(records.c.kind, records.c.key_hash).where(records.c.site_id == site_id, named)
        known = set(connection.execute(query))
        if missing := [wanted[key] for key in keys if key not in known]:
            connection.execute(database.dialect.insert_missing(records), missing)
        rows = connection.execute(
            select(
                records.c.id,
                records.c.kind,
                records.c.key_hash,
                records.c.owner_url_id,
                records.c.version_id,
                records.c.last_crawl_id,
            )
            .where(records.c.site_id == site_id, named)
            .order_by(records.c.kind, records.c.key_hash)
            .with_for_update()
        )
        found_now = {
            (row.kind, row.key_hash): Current(row.id, row.owner_url_id, row.version_id, row.last_crawl_id)
            for row in rows
        }
        _read_versions(connection, found_now.values())
        current.update(found_now)
    return current


def _read_versions(connection: Connection, states: Iterable[Current]) -> None:
    by_version = {state.version_id: state for state in states if state.version_id}
    rows = connection.execute(
        select(
            versions.c.id,
            versions.c.no,
            versions.c.state,
            versions.c.data_hash,
            versions.c.valid_from,
            fetches.c.body_hash,
        )
        .outerjoin(fetches, fetches.c.id == versions.c.fetch_id)
        .where(versions.c.id.in_(by_version))
    )
    for row in rows:
        state = by_version[row.id]
        state.no, state.live, state.data_hash = row.no, row.state == "live", row.data_hash
        state.valid_from, state.body_hash = row.valid_from, row.body_hash


def owners_that_hold(connection: Connection, states: Iterable[Current]) -> dict[tuple[int, int], int]:
    """By owner and record: the crawl in which the owner, still giving the record, was last seen."""
    pairs = {(state.owner, state.id) for state in states}
    found: dict[tuple[int, int], int] = {}
    for piece in chunks(sorted({owner for owner, _ in pairs})):
        rows = connection.execute(
            select(yields.c.url_id, yields.c.record_id, urls.c.crawl_id)
            .join(urls, urls.c.id == yields.c.url_id)
            .where(yields.c.url_id.in_(piece))
            .where((urls.c.reason_code != "gone") | urls.c.reason_code.is_(None))
        )
        found.update({(owner, record): crawl for owner, record, crawl in rows if (owner, record) in pairs})
    return found
