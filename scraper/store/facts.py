"""Keeps what rules found of record versions: an equal finding confirms its row, a different one closes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, select, update

from scraper.store.database import Database
from scraper.store.tables import FOREVER


@dataclass(frozen=True)
class Rule:
    """An enricher or a scorecard, as its rows name it."""

    site_id: int
    """The site it belongs to."""
    kind: str
    """The kind of record it judges."""
    name: str
    """Its name, unique within the site."""
    version: str
    """16 hex digits that change with its code and tables."""


@dataclass(frozen=True)
class Due:
    """A live record version that the rule has not judged yet, or judged on an older basis."""

    version_id: int
    """The version."""
    key: str
    """The record's key, for messages."""
    data: str
    """The record, as canonical JSON."""
    basis: int
    """What the judgement will rest on: the newest version looked up, or the newest enrichment."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What enrichers added, as canonical JSON by enricher."""


@dataclass(frozen=True)
class Finding:
    """What the rule says of one version."""

    version_id: int
    """The version."""
    basis: int
    """What it rests on."""
    content: Mapping[str, Any]
    """The columns that hold it."""


@dataclass(frozen=True)
class Kept:
    """What became of findings."""

    made: int = 0
    """New rows."""
    confirmed: int = 0
    """Rows whose content was found again; only their basis and rule version were raised."""
    overtaken: int = 0
    """Findings left out because another process had kept one on a newer basis."""

    def __add__(self, other: Kept) -> Kept:
        return Kept(self.made + other.made, self.confirmed + other.confirmed, self.overtaken + other.overtaken)


def keep(database: Database, connection: Connection, table: Table, rule: Rule, findings: Sequence[Finding]) -> Kept:
    """Write findings. A row's `made_at` is when its content became known; basis and rule version confirmed it last."""
    now = database.now(connection)
    wanted = select(table).where(
        table.c.version_id.in_([one.version_id for one in findings]),
        table.c.name == rule.name,
        table.c.valid_to == FOREVER,
    )
    rows = {row["version_id"]: row for row in connection.execute(database.dialect.locked(wanted)).mappings()}
    confirmed: defaultdict[int, list[int]] = defaultdict(list)
    closed: defaultdict[int, list[int]] = defaultdict(list)
    new, overtaken = [], 0
    for one in findings:
        made_at, row = now, rows.get(one.version_id)
        if row is not None:
            if row["rule_version"] == rule.version and row["basis"] > one.basis:
                overtaken += 1
                continue
            if all(row[column] == value for column, value in one.content.items()):
                confirmed[one.basis].append(row["id"])
                continue
            made_at = max(now, row["made_at"] + 1)  # the clock may stand still or step back; no row is valid never
            closed[made_at].append(row["id"])
        new.append(
            {
                "version_id": one.version_id,
                "name": rule.name,
                "rule_version": rule.version,
                "basis": one.basis,
                "made_at": made_at,
                "valid_to": FOREVER,
                **one.content,
            }
        )
    for basis, ids in confirmed.items():
        raised = update(table).where(table.c.id.in_(ids)).values(basis=basis, rule_version=rule.version)
        connection.execute(raised)
    for valid_to, ids in closed.items():
        connection.execute(update(table).where(table.c.id.in_(ids)).values(valid_to=valid_to))
    if new:
        connection.execute(database.dialect.insert_missing(table), new)
    return Kept(len(new), sum(map(len, confirmed.values())), overtaken)
