"""Finds dead runs and gives back what they held: at every start, and now and then while a run works."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from sqlalchemy import Connection

from scraper.store import runs
from scraper.store.database import Database
from scraper.store.runs import OtherRun

log = logging.getLogger(__name__)


@dataclass
class Observer:
    """What one process has seen of the others' heartbeats, by its own monotonic clock."""

    lease: float
    """Seconds without a heartbeat after which a run may be dead."""
    beat: float
    """Seconds between two heartbeats."""
    seen: dict[int, tuple[int, float]] = field(default_factory=dict)
    """By run: the beat last seen, and since when it is the same."""

    def unbeaten(self, run: OtherRun) -> bool:
        """Whether the run's beat has stood still for two beats, as seen from here."""
        now = time.monotonic()
        beat, since = self.seen.get(run.id, (-1, now))
        if beat != run.beat:
            self.seen[run.id] = (run.beat, now)
            return False
        return now - since >= 2 * self.beat


@dataclass(frozen=True)
class Recovered:
    """What a look around gave back."""

    lost: tuple[tuple[OtherRun, str], ...]
    """Runs declared dead, with the reason."""
    freed: int
    """Rows put back into the queue."""


def recover(
    database: Database, connection: Connection, observer: Observer, site_id: int | None, me: int | None
) -> Recovered:
    """Declare dead runs lost and free what no live run holds, in the caller's transaction."""
    lost: list[tuple[OtherRun, str]] = []
    now = database.now(connection)
    for run in runs.live_runs(connection, site_id):
        if run.id == me:
            continue
        reason = runs.why_dead(run, now, int(observer.lease * 1_000_000), observer.unbeaten(run))
        if reason and runs.declare_lost(database, connection, run, reason):
            lost.append((run, reason))
    return Recovered(tuple(lost), runs.free_orphans(connection, site_id))


def tell(recovered: Recovered) -> None:
    """Log what was found dead."""
    for run, reason in recovered.lost:
        log.warning("run %d (%s, pid %d) is lost: %s", run.id, run.stage, run.process.pid, reason)
    if recovered.freed:
        log.info("%d pages that dead runs held are back in the queue", recovered.freed)
