"""Speaks to `records`, `versions` and `yields`: what pages gave, who owns each record, and its history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, select, tuple_, update

from scraper.store.chunks import chunks
from scraper.store.database import Database
from scraper.store.page_end import NewDrop, NewRecord
from scraper.store.tables import FOREVER, fetches, records, urls, versions, yields

Key = tuple[str, bytes]


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


@dataclass
class _Current:
    """A record as it stands, and as it changes while the group is written."""

    id: int
    owner: int
    version_id: int
    no: int = 0
    live: bool = False
    data_hash: bytes = b""
    valid_from: int = 0
    body_hash: bytes | None = None
    renewed: bool = False


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
    current = _lock(database, connection, site_id, pages, now)
    given = {
        url_id: {current[record.kind, record.key_hash].id for record in found} for url_id, (_, found) in pages.items()
    }
    _replace_yields(database, connection, given)
    owners = _owners_that_hold(connection, current.values())
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
            touched.append({"row": state.id, "owner": owner, "seen": now, "crawl": source.crawl_id})
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


def see_records_of(connection: Connection, pages: Iterable[int], crawl_id: int, now: int) -> None:
    """Say that the records these unchanged pages gave at their last parse were seen in the crawl."""
    found: set[int] = set()
    for piece in chunks(sorted(pages)):
        found.update(connection.execute(select(yields.c.record_id).where(yields.c.url_id.in_(piece))).scalars())
    for ids in chunks(sorted(found)):
        connection.execute(update(records).where(records.c.id.in_(ids)).values(last_seen=now, last_crawl_id=crawl_id))


def _lock(
    database: Database,
    connection: Connection,
    site_id: int,
    pages: Mapping[int, tuple[Source, tuple[NewRecord, ...]]],
    now: int,
) -> dict[Key, _Current]:
    """The records of these keys, made where missing, their rows locked in key order."""
    wanted: dict[Key, dict[str, object]] = {}
    for url_id, (source, found) in sorted(pages.items()):
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
                    "last_crawl_id": source.crawl_id,
                },
            )
    current: dict[Key, _Current] = {}
    for keys in chunks(sorted(wanted)):
        named = tuple_(records.c.kind, records.c.key_hash).in_(keys)
        query = select(records.c.kind, records.c.key_hash).where(records.c.site_id == site_id, named)
        known = set(connection.execute(query))
        if missing := [wanted[key] for key in keys if key not in known]:
            connection.execute(database.dialect.insert_missing(records), missing)
        rows = connection.execute(
            select(records.c.id, records.c.kind, records.c.key_hash, records.c.owner_url_id, records.c.version_id)
            .where(records.c.site_id == site_id, named)
            .order_by(records.c.kind, records.c.key_hash)
            .with_for_update()
        )
        found_now = {(row.kind, row.key_hash): _Current(row.id, row.owner_url_id, row.version_id) for row in rows}
        _read_versions(connection, found_now.values())
        current.update(found_now)
    return current


def _read_versions(connection: Connection, states: Iterable[_Current]) -> None:
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


def _replace_yields(database: Database, connection: Connection, given: Mapping[int, set[int]]) -> None:
    held: dict[int, set[int]] = {page: set() for page in given}
    for piece in chunks(sorted(given)):
        query = select(yields.c.url_id, yields.c.record_id).where(yields.c.url_id.in_(piece))
        for page, record in connection.execute(query):
            held[page].add(record)
    new = [
        {"url_id": page, "record_id": record}
        for page, found in sorted(given.items())
        for record in sorted(found - held[page])
    ]
    for batch in chunks(new):
        connection.execute(database.dialect.insert_missing(yields), batch)
    for page, found in sorted(given.items()):
        for old in chunks(sorted(held[page] - found)):
            connection.execute(delete(yields).where(yields.c.url_id == page, yields.c.record_id.in_(old)))


def _owners_that_hold(connection: Connection, states: Iterable[_Current]) -> dict[tuple[int, int], int]:
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


def _cause(state: _Current, source: Source) -> str:
    if not state.no:
        return "new"
    if not state.live:
        return "back"
    return "reparsed" if state.body_hash == source.body_hash else "changed"


def _conflict(record: NewRecord, state: _Current, url_id: int) -> NewDrop:
    other = "this page itself" if state.owner == url_id else f"page {state.owner}"
    reason = f"{record.kind} {record.key} was given with other data by {other}, which owns it in this crawl"
    return NewDrop(stage="validate", code="conflict", kind=record.kind, reason=reason)


def _version(
    record: NewRecord, source: Source, state: _Current, cause: str, moment: int, site_id: int, run_id: int, code: str
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
