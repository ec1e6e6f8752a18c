"""What a reparse would change, without writing: each record's fields, before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from scraper.errors import BodyDamaged
from scraper.parse.kept_page import kept_page
from scraper.parse.reading import read_page
from scraper.parser import Parser
from scraper.queue.ending import new_record, summary
from scraper.sites import Site
from scraper.store.body_store import BodyStore
from scraper.store.database import Database
from scraper.store.kept_rows import Wanted, kept_rows
from scraper.store.live_versions import current_data


def differences(
    database: Database, site: Site, bodies: BodyStore, parsers: dict[str, Parser], wanted: Wanted
) -> Iterator[str]:
    """A line for each field that would change, each record that would be new, and each page that would fail."""
    for rows in kept_rows(database, wanted):
        for row in rows:
            try:
                page = kept_page(site, bodies, row.fetch, row.url, row.context)
            except BodyDamaged as error:
                yield f"{row.url}: {error}"
                continue
            reading = read_page(parsers[row.page_type], page)
            if reading.error is not None:
                yield f"{row.url}: error: {reading.error}"
            elif reading.drops:
                yield f"{row.url}: refused: {summary(list(reading.drops))}"
            for record in map(new_record, reading.records):
                with database.read() as connection:
                    before = current_data(connection, wanted.site_id, record.kind, record.key_hash)
                yield from _changes(f"{record.kind} {record.key}", before, json.loads(record.data))


def _changes(name: str, before: dict[str, Any] | None, after: dict[str, Any]) -> Iterator[str]:
    if before is None:
        yield f"{name}: new"
        return
    for field in sorted(before.keys() | after.keys()):
        old, new = before.get(field), after.get(field)
        if old != new:
            yield f"{name}: {field}: {old!r:.200} -> {new!r:.200}"
