"""Speaks to `records` and `versions`: what pages gave becomes history, and one page owns each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from scraper.store.chunks import chunks
from scraper.store.current_records import Current, lock_records, owners_that_hold
from scraper.store.database import Database
from scraper.store.page_end import NewDrop, NewRecord
from scraper.store.tables import FOREVER, records, versions
from scraper.store.yields import replace_yields


@dataclass(frozen=True)
class Source:
    """The page a record comes from, for its version's row."""

    url_id: int
    """The page."""
    crawl_id: int
    """The crawl the page was last seen in."""
    fetch_id: int
    """The answer it was parsed from."""
    body_hash: bytes
    """The body of that answer."""
    parser_version: str
    """The parser that read it."""


def write_records(
    database: Database,
    connection: Connection,
    pages: Mapping[int, tuple[Source, tuple[NewRecord, ...]]],
    *,
    site_id: int,
    run_id: int,
    code: str,
) -> dict[int, list[NewDrop]]:
    """Write what these parsed pages gave: new versions where data differ, `yields` by difference.

    One page owns a record. Another page that gives it with other data, while the owner still gives it in the same
    crawl, is a conflict: two pages would flip the record in every crawl. Gives the conflicts by page.
    """
    now = database.now(connection)
    seen_in = {url_id: (source.crawl_id, found) for url_id, (source, found) in pages.items()}
    current = lock_records(database, connection, site_id, seen_in, now)
    given = {
        url_id: {current[record.kind, record.key_hash].id for record in found} for url_id, (_, found) in pages.items()
    }
    replace_yields(database, connection, given)
    owners = owners_that_hold(connection, current.values())
    conflicts: dict[int, list[NewDrop]] = {}
    closed: list[dict[str, int]] = []
    opened: list[dict[str, object]] = []
    touched: list[dict[str, int]] = []
    for url_id, (source, found) in sorted(pages.items()):
        for record in found:
            state = current[record.kind, record.key_hash]
            same = state.live and state.data_hash == record.data_hash
            held = state.renewed or (state.owner != url_id and owners.get((state.owner, state.id)) == source.crawl_id)
            if not same and held and state.version_id:
                conflicts.setdefault(url_id, []).append(_conflict(record, state, url_id))
                continue
            owner = state.owner if same and held else url_id
            touched.append(
                {"row": state.id, "owner": owner, "seen": now, "crawl": max(source.crawl_id, state.last_crawl_id)}
            )
            if same:
                continue
            moment = max(now, state.valid_from + 1)
            if state.no:
                closed.append({"row": state.version_id, "until": moment})
            cause = _cause(state, source)
            opened.append(_version(record, source, state, cause, moment, site_id, run_id, code))
            state.owner, state.live, state.data_hash, state.renewed = url_id, True, record.data_hash, True
            state.version_id = state.version_id or -1
    if closed:
        ending = update(versions).where(versions.c.id == bindparam("row"), versions.c.valid_to == FOREVER)
        connection.execute(ending.values(valid_to=bindparam("until")), closed)
    for piece in chunks(opened):
        connection.execute(versions.insert(), piece)
    _point_to_current(connection, [int(str(row["record_id"])) for row in opened])
    if touched:
        seen = update(records).where(records.c.id == bindparam("row"))
        seen = seen.values(
            owner_url_id=bindparam("owner"), last_seen=bindparam("seen"), last_crawl_id=bindparam("crawl")
        )
        connection.execute(seen, sorted(touched, key=lambda change: change["row"]))
    return conflicts


def _cause(state: Current, source: Source) -> str:
    if not state.no:
        return "new"
    if not state.live:
        return "back"
    return "reparsed" if state.body_hash == source.body_hash else "changed"


def _conflict(record: NewRecord, state: Current, url_id: int) -> NewDrop:
    other = "this page itself" if state.owner == url_id else f"page {state.owner}"
    reason = f"{record.kind} {record.key} was given with other data by {other}, which owns it in this crawl"
    return NewDrop(stage="validate", code="conflict", kind=record.kind, reason=reason)


def _version(
    record: NewRecord, source: Source, state: Current, cause: str, moment: int, site_id: int, run_id: int, code: str
) -> dict[str, object]:
    return {
        "record_id": state.id,
        "site_id": site_id,
        "kind": record.kind,
        "no": state.no + 1,
        "state": "live",
        "cause": cause,
        "data": record.data,
        "data_hash": record.data_hash,
        "schema_version": record.schema_version,
        "parser_version": source.parser_version,
        "code_version": code,
        "url_id": source.url_id,
        "fetch_id": source.fetch_id,
        "crawl_id": source.crawl_id,
        "run_id": run_id,
        "valid_from": moment,
        "valid_to": FOREVER,
    }


def _point_to_current(connection: Connection, record_ids: list[int]) -> None:
    for piece in chunks(sorted(record_ids)):
        rows = connection.execute(
            select(versions.c.record_id, versions.c.id)
            .where(versions.c.record_id.in_(piece), versions.c.valid_to == FOREVER)
            .order_by(versions.c.record_id)
        )
        pointing = update(records).where(records.c.id == bindparam("row")).values(version_id=bindparam("version"))
        connection.execute(pointing, [{"row": record, "version": version} for record, version in rows])
