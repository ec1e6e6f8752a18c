"""What an enricher may look up beside its record: other live records of the site, and reference tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from scraper.errors import BrokenSite
from scraper.models import Record

T = TypeVar("T")
Row = Mapping[str, str]


class Lookup:
    """The records of an enricher's scope and its tables, all of one moment, the same for the whole pass.

    It holds every record of the scope in memory (measured: 250 MB for 100,000 books with 1 KB of description each), and
    an index for each set of fields that is asked by, built at the first question. So a question costs the same however
    many records there are.
    """

    def __init__(self, enricher: str, records: Mapping[str, Sequence[Record]], tables: Mapping[str, Sequence[Row]]):
        self._enricher = enricher
        self._records = records
        self._tables = tables
        self._indexes: dict[tuple[str, ...], dict[tuple[Any, ...], list[Record]]] = {}
        self._answers: dict[Hashable, Any] = {}

    def __call__(self, kind: str, **equals: Any) -> Sequence[Any]:
        """Live records of that kind whose fields have these values, oldest first; the record itself is one of them."""
        if kind not in self._records:
            raise BrokenSite(f'enricher {self._enricher}: it looks up {kind!r}; say so: scope=("{kind}",)')
        if not equals:
            return tuple(self._records[kind])
        fields = tuple(sorted(equals))
        index = self._indexes.get((kind, *fields))
        if index is None:
            index = self._indexes[(kind, *fields)] = self._index(kind, fields)
        return tuple(index.get(tuple(equals[name] for name in fields), ()))

    def _index(self, kind: str, fields: tuple[str, ...]) -> dict[tuple[Any, ...], list[Record]]:
        index: defaultdict[tuple[Any, ...], list[Record]] = defaultdict(list)
        for record in self._records[kind]:
            if unknown := [name for name in fields if name not in type(record).model_fields]:
                raise BrokenSite(f"enricher {self._enricher}: {kind} has no field {unknown[0]!r}")
            index[tuple(getattr(record, name) for name in fields)].append(record)
        return dict(index)

    def table(self, name: str) -> Sequence[Row]:
        """The rows of a reference table, each by the names in the table's first line."""
        if name not in self._tables:
            raise BrokenSite(f'enricher {self._enricher}: it reads table {name!r}; say so: tables=("{name}",)')
        return self._tables[name]

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What `compute` gives, once a pass for this key: a category's median, not again for each of its books."""
        if key not in self._answers:
            self._answers[key] = compute()
        answer: T = self._answers[key]
        return answer
