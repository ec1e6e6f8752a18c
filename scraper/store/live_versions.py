"""Reads `versions`: the live records of a kind as they are now, and how far the record of changes has grown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, select

from scraper.store.database import Database
from scraper.store.tables import FOREVER, records, versions

LONGEST_TRANSACTION = 60_000_000
"""Microseconds after which no writer's transaction can still be open: the server cuts an idle one after 30 s."""


def is_live(site_id: int, kind: str) -> ColumnElement[bool]:
    """The condition for current versions of records that are not gone."""
    return and_(
        versions.c.site_id == site_id,
        versions.c.kind == kind,
        versions.c.valid_to == FOREVER,
        versions.c.state == "live",
    )


def count_live(connection: Connection, site_id: int, kind: str) -> int:
    """How many live records of the kind there are."""
    query = select(func.count()).select_from(versions).where(is_live(site_id, kind))
    return int(connection.execute(query).scalar_one())


def read_live(connection: Connection, site_id: int, kind: str) -> Iterator[tuple[str, str]]:
    """Key and stored data of the live records of the kind, in one order; one statement, so one view on every engine."""
    query = (
        select(records.c.key, versions.c.data)
        .join_from(versions, records, records.c.id == versions.c.record_id)
        .where(is_live(site_id, kind))
        .order_by(records.c.id)
    )
    yield from connection.execute(query)


def newest(database: Database, site_id: int, kinds: Sequence[str]) -> int:
    """The highest version number of these kinds, gone ones included; it grows with every change. 0 for no kinds.

    Numbers are given out before a transaction commits, so a lower one may appear after a higher one. Reading the latest
    rows with a lock waits for the writers that are under way; SQLite has one writer at a time, and this one is it.
    """
    if not kinds:
        return 0
    of_kinds = and_(versions.c.site_id == site_id, versions.c.kind.in_(kinds))

    def ask(connection: Connection) -> int:
        since = database.now(connection) - LONGEST_TRANSACTION
        late = select(versions.c.id).where(of_kinds, versions.c.valid_from > since)
        connection.execute(late.with_for_update(read=True)).all()
        return int(connection.execute(select(func.coalesce(func.max(versions.c.id), 0)).where(of_kinds)).scalar_one())

    return database.transact(ask)


def current_data(connection: Connection, site_id: int, kind: str, key_hash: bytes) -> dict[str, Any] | None:
    """The fields of a live record as stored, or None when there is none of that key."""
    data = connection.execute(
        select(versions.c.data)
        .join(records, records.c.version_id == versions.c.id)
        .where(records.c.site_id == site_id, records.c.kind == kind, records.c.key_hash == key_hash)
        .where(versions.c.state == "live")
    ).scalar()
    return None if data is None else dict(json.loads(data))
