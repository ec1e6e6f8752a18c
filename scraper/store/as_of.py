"""Reads records as the database knew them at a moment, in short pages, so that no long snapshot is held."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, and_, func, select

from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.tables import enrichments, fetches, records, scores, versions

PAGE = 1000
"""Records read in one transaction: well under SQLite's limit on variables, and a few milliseconds each."""


@dataclass(frozen=True)
class Known:
    """One record at that moment."""

    record_id: int
    """Its number; records come in this order."""
    data: Mapping[str, Any]
    """Its fields as stored: JSON values."""
    fetched_at: int | None
    """When the page was fetched that gave this version; None when that fetch is no longer kept."""
    enrichments: Mapping[str, Mapping[str, Any]]
    """By enricher: the fields it added, as stored."""
    scores: Mapping[str, tuple[float, Any]]
    """By scorecard: the value, and the reasons as stored."""


def count_records(connection: Connection, site_id: int, kind: str) -> int:
    """How many records of the kind there ever were: what a reader has before it, at most."""
    query = select(func.count()).where(records.c.site_id == site_id, records.c.kind == kind)
    return int(connection.execute(query).scalar_one())


def read_as_of(
    database: Database,
    site_id: int,
    kind: str,
    moment: int,
    *,
    page: int = PAGE,
    read_constant: Callable[[str], Any] | None = None,
) -> Iterator[Known]:
    """All live records of the kind as known at `moment`, by number. The same moment gives the same records for ever.

    `read_constant` says what stands for NaN and the infinities, should stored JSON hold them.
    """
    last = 0
    while True:
        with database.read() as connection:
            found = _page(connection, site_id, kind, moment, last, page)
            ids = [row.version_id for row in found]
            facts = _added(connection, enrichments, (enrichments.c.data,), ids, moment)
            values = _added(connection, scores, (scores.c.value, scores.c.reasons), ids, moment)
        cut_point("export:rows")
        for row in found:
            yield Known(
                record_id=row.id,
                data=json.loads(row.data, parse_constant=read_constant),
                fetched_at=row.at,
                enrichments={
                    one.name: json.loads(one.data, parse_constant=read_constant) for one in facts[row.version_id]
                },
                scores={
                    one.name: (one.value, json.loads(one.reasons, parse_constant=read_constant))
                    for one in values[row.version_id]
                },
            )
        if len(found) < page:
            return
        last = found[-1].id


def _page(connection: Connection, site_id: int, kind: str, moment: int, last: int, page: int) -> Sequence[Any]:
    known_then = and_(
        versions.c.record_id == records.c.id, versions.c.valid_from <= moment, versions.c.valid_to > moment
    )
    return connection.execute(
        select(records.c.id, versions.c.id.label("version_id"), versions.c.data, fetches.c.at)
        .join(versions, known_then)
        .outerjoin(fetches, fetches.c.id == versions.c.fetch_id)
        .where(records.c.site_id == site_id, records.c.kind == kind, records.c.id > last, versions.c.state == "live")
        .order_by(records.c.id)
        .limit(page)
    ).all()


def _added(
    connection: Connection, table: Table, columns: Sequence[Any], version_ids: Sequence[int], moment: int
) -> Mapping[int, list[Any]]:
    """What was added to these versions by then, by version."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    if version_ids:
        rows = connection.execute(
            select(table.c.version_id, table.c.name, *columns).where(
                table.c.version_id.in_(version_ids), table.c.made_at <= moment, table.c.valid_to > moment
            )
        )
        for row in rows:
            found[row.version_id].append(row)
    return found
