"""A run while it works: it begins, beats from its own thread, looks after the dead, and ends with an outcome."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType

from sqlalchemy import Connection

from scraper.errors import DatabaseProblem, RunLost
from scraper.project_version import project_version
from scraper.queue.recovery import Observer, Recovered, recover, tell
from scraper.store import runs
from scraper.store.crawls import Crawl
from scraper.store.database import Database
from scraper.store.runs import Outcome, Stage
from scraper.store.sites import site_id_of
from scraper.store.urls import release

log = logging.getLogger(__name__)
RECOVERY_EVERY = 60.0
"""Seconds between two looks for dead runs."""


class LiveRun:
    """Holds a row in `runs`. Used as a context: what leaves it by exception ends it as failed or released."""

    def __init__(
        self,
        database: Database,
        run_id: int,
        site_id: int,
        crawl: Crawl | None = None,
        beat: float = 15.0,
        lease: float = 300.0,
    ) -> None:
        self.database = database
        self.id = run_id
        self.site_id = site_id
        self.crawl = crawl
        self.robbed = threading.Event()
        """Set when another run declared this one lost: it may write nothing more."""
        self.outcome: Outcome | None = None
        self.reason: str | None = None
        self.stopped = False
        """Whether a signal or a fault ended the run, not its own plan."""
        self.figures: dict[str, object] | None = None
        self._observer = Observer(lease, beat)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    @classmethod
    def begin(
        cls, database: Database, site_name: str, stage: Stage, beat: float = 15.0, lease: float = 300.0
    ) -> LiveRun:
        """A run of a stage that needs no crawl; the site's row is made when missing, dead runs are recovered."""
        observer = Observer(lease, beat)

        def work(connection: Connection) -> tuple[int, int, Recovered]:
            site_id = site_id_of(database, connection, site_name)
            recovered = recover(database, connection, observer, site_id, None)
            return site_id, runs.begin(database, connection, site_id, stage, None, project_version()), recovered

        site_id, run_id, recovered = database.transact(work)
        tell(recovered)
        return cls(database, run_id, site_id, None, beat, lease)

    def __enter__(self) -> LiveRun:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if error is not None and self.outcome is None:
            stopped = isinstance(error, KeyboardInterrupt)
            self.outcome = "released" if stopped else "failed"
            self.reason = "stopped by a signal" if stopped else f"{kind.__name__ if kind else ''}: {error}"[:1000]
        try:
            ended = self.database.transact(self._end)
        except DatabaseProblem:
            if error is None:
                raise
            log.warning("run %d could not be ended in the database; the next start will find it dead", self.id)
            return
        if not ended and error is None and self.outcome != "robbed":
            raise RunLost(f"run {self.id} was declared lost by another run while it worked; start it again")

    def _end(self, connection: Connection) -> bool:
        if self.crawl is not None:
            release(connection, self.id, self.crawl.id)
        outcome = self.outcome or "finished"
        return runs.end(self.database, connection, self.id, outcome, self.reason, self.figures)

    def end(
        self,
        outcome: Outcome,
        reason: str | None = None,
        figures: dict[str, object] | None = None,
        *,
        stopped: bool = True,
    ) -> None:
        """Say how the run came out; written when the context ends."""
        self.outcome, self.reason, self.stopped = outcome, reason, stopped
        self.figures = figures if figures is not None else self.figures

    def check(self) -> None:
        """Raise RunLost when another run declared this one dead."""
        if self.robbed.is_set():
            raise RunLost(f"run {self.id} was declared lost by another run; nothing more is written, start again")

    def look_for_dead(self) -> None:
        """Declare dead runs of the site lost, and put what they held back into the queue."""
        recovered = self.database.transact(
            lambda connection: recover(self.database, connection, self._observer, self.site_id, self.id)
        )
        tell(recovered)

    def _beat(self) -> None:
        looked = time.monotonic()
        while not self._stop.wait(self._observer.beat):
            try:
                with self.database.write() as connection:
                    if not runs.beat(self.database, connection, self.id):
                        self.robbed.set()
                        log.error("run %d was declared lost by another run: it claims and writes nothing more", self.id)
                        return
                if time.monotonic() - looked >= RECOVERY_EVERY:
                    looked = time.monotonic()
                    self.look_for_dead()
            except Exception as error:  # noqa: BLE001 - whatever it was, a run without a heart is soon taken for dead
                log.warning("no heartbeat: %s", error)
