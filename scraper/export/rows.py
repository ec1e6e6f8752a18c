"""Turns records as of a moment into the cells of a table, and counts what the manifest will say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from scraper.export.format import Row
from scraper.export.table import Column, Table
from scraper.export.value import Value, is_number, read_value
from scraper.store.as_of import Known, read_as_of
from scraper.store.database import Database


class Rows:
    """The rows of one table, read once as a stream; afterwards its counts are true."""

    def __init__(self, database: Database, site_id: int, table: Table, moment: int) -> None:
        self.table = table
        self.records = 0
        self.first_fetch: int | None = None
        self.last_fetch: int | None = None
        self.replaced: Counter[str] = Counter()
        self._known = read_as_of(database, site_id, table.kind, moment, read_constant=self._no_number)

    def __iter__(self) -> Iterator[Row]:
        for known in self._known:
            row = tuple(self._cell(column, known) for column in self.table.columns)
            self.records += 1
            if known.fetched_at is not None:
                self.first_fetch = min(known.fetched_at, self.first_fetch or known.fetched_at)
                self.last_fetch = max(known.fetched_at, self.last_fetch or known.fetched_at)
            yield row

    def _cell(self, column: Column, known: Known) -> Value:
        value = read_value(column.form, _stored(column, known))
        if is_number(value):
            return value
        self._no_number()
        return None

    def _no_number(self, _word: str = "") -> None:
        """NaN and the infinities: no other language reads them from JSON, so every format gets nothing there."""
        self.replaced["not_a_number"] += 1


def _stored(column: Column, known: Known) -> Any:
    match column.source:
        case "record":
            return known.data.get(column.field)
        case "enrichment":
            return known.enrichments.get(column.origin, {}).get(column.field)
        case "score":
            return known.scores.get(column.origin, (None, None))[0]
        case "reasons":
            return known.scores.get(column.origin, (None, None))[1]
