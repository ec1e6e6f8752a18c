"""Speaks to `yields`: which records a page gave at its last parse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, delete, select, update

from scraper.store.chunks import chunks
from scraper.store.database import Database
from scraper.store.tables import records, yields


def replace_yields(database: Database, connection: Connection, given: Mapping[int, set[int]]) -> None:
    """Make these the records of their pages, by difference."""
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


def see_records_of(connection: Connection, pages: Iterable[int], crawl_id: int, now: int) -> None:
    """Say that the records these unchanged pages gave at their last parse were seen in the crawl."""
    found: set[int] = set()
    for piece in chunks(sorted(pages)):
        found.update(connection.execute(select(yields.c.record_id).where(yields.c.url_id.in_(piece))).scalars())
    for ids in chunks(sorted(found)):
        connection.execute(update(records).where(records.c.id.in_(ids)).values(last_seen=now, last_crawl_id=crawl_id))
