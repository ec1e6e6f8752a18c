"""Takes a rule over all record versions it has still to judge, in batches; after a kill the next start goes on."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from sqlalchemy import Connection, Table

from scraper.errors import BrokenSite
from scraper.rules.stage_report import Failure, Swept
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.facts import Due, Finding, Kept, Rule, keep

BATCH = 500
"""Versions a transaction: some milliseconds under the write lock, and little to do again after a kill."""
NAMED = 20
"""Failures told by name; all are counted."""

Watch = Callable[[str, int, int], None]
"""Told the rule's name, how many versions it has judged, and of how many, after each batch."""


class Source(Protocol):
    """Where the versions that are due come from, and where findings go."""

    table: Table
    rule: Rule

    def count(self, connection: Connection) -> int:
        """How many are due."""

    def page(self, connection: Connection, after: int, limit: int) -> list[Due]:
        """The next ones by version number, after that one."""


def sweep(
    database: Database,
    source: Source,
    judge: Callable[[Due], Mapping[str, Any]],
    stage: str,
    records: int,
    due: int,
    watch: Watch | None = None,
) -> Swept:
    """Judge what is due of `records` and keep the findings, one transaction a batch; a version that fails stays due."""
    rule, kept, failed, after, done = source.rule, Kept(), 0, 0, 0
    failures: list[Failure] = []
    while True:
        with database.read() as connection:
            batch = source.page(connection, after, BATCH)
        if not batch:
            return Swept(rule.name, rule.kind, records, records - due, kept, failed, tuple(failures))
        findings = []
        for one in batch:
            try:
                findings.append(Finding(one.version_id, one.basis, judge(one)))
            except BrokenSite:
                raise  # the rule is wrong as a whole, not for this record
            except Exception as error:  # noqa: BLE001 - a site's rule may raise anything; the other records go on
                failed += 1
                if len(failures) < NAMED:
                    failures.append(Failure(one.key, _reason(error)))
        kept += database.transact(partial(_keep, database, source, stage, findings))
        cut_point(f"{stage}:between")
        after, done = batch[-1].version_id, done + len(batch)
        if watch is not None:
            watch(rule.name, done, due)


def _keep(database: Database, source: Source, stage: str, findings: Sequence[Finding], connection: Connection) -> Kept:
    kept = keep(database, connection, source.table, source.rule, findings)
    cut_point(f"{stage}:batch")
    return kept


def _reason(error: Exception) -> str:
    """The error with its last line in the sites' own code, which is where to look."""
    trace = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in trace if "/spiders/" in frame.filename.replace("\\", "/")]
    place = (
        f" ({own[-1].filename.replace(chr(92), '/').rpartition('/spiders/')[2]}, line {own[-1].lineno})" if own else ""
    )
    return f"{type(error).__name__}: {error}{place}"
