"""The one thread of a process that writes pages to the database: what arrives while it works is committed together."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Generic, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from scraper.errors import DatabaseProblem, ScraperError
from scraper.store.database import Database

log = logging.getLogger(__name__)
J = TypeVar("J")
R = TypeVar("R")
GROUP = 50
"""At most so many jobs in one transaction, so that it stays short."""
PAUSE = 0.005
"""Seconds the thread waits for company after a first job."""


class Group(Generic[J, R]):
    """A way to write jobs of one sort: `commit(jobs) -> results`, one transaction, all or nothing."""

    def __init__(self, name: str, commit: Callable[[Sequence[J]], Sequence[R]]) -> None:
        self.name = name
        self.commit = commit


_Job = tuple[Group[Any, Any], Any, "asyncio.Future[Any]"]


class Writer(threading.Thread):
    """Takes jobs from the event loop and answers by futures. Its death fails every waiter, so nobody hangs."""

    def __init__(self, loop: asyncio.AbstractEventLoop, database: Database) -> None:
        super().__init__(name="database-writer", daemon=True)
        self.loop = loop
        self.database = database
        self._calls: Group[Callable[[Connection], Any], Any] = Group("call", self._call_each)
        self.error: BaseException | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._doomed: list[_Job] = []

    def submit(self, group: Group[J, R], job: J) -> asyncio.Future[R]:
        """Have a job written with its neighbours; the future gives what `commit` made of it."""
        future: asyncio.Future[R] = self.loop.create_future()
        self._jobs.put((group, job, cast("asyncio.Future[Any]", future)))
        if self.error is not None or not self.is_alive():
            self._fail_rest()
        return future

    def call(self, work: Callable[[Connection], R]) -> asyncio.Future[R]:
        """Have `work` done in a transaction of its own, in its turn."""
        return self.submit(self._calls, work)

    def _call_each(self, jobs: Sequence[Callable[[Connection], Any]]) -> list[Any]:
        return [self.database.transact(job) for job in jobs]

    def stop(self) -> None:
        """Write what was submitted before, then end the thread."""
        self._jobs.put(None)

    def run(self) -> None:
        try:
            while self._round():
                pass
        except BaseException as error:
            self.error = error
            level = logging.ERROR if isinstance(error, ScraperError) else logging.CRITICAL
            log.log(level, "The writer stopped, and so does the run: %s", error, exc_info=level == logging.CRITICAL)
            self._tell(self._fail_rest)

    def _round(self) -> bool:
        """Write one group; False when told to stop."""
        jobs: list[_Job | None] = [self._jobs.get()]
        if jobs[0] is not None:
            time.sleep(PAUSE)
        while len(jobs) < GROUP and not self._jobs.empty():
            jobs.append(self._jobs.get())
        asked = [job for job in jobs if job is not None]
        self._doomed = asked
        for _, same in groupby(asked, key=lambda job: id(job[0])):
            jobs_of_it = list(same)
            if jobs_of_it[0][0] is self._calls:  # each has its own transaction, so a failed one repeats no other
                for job in jobs_of_it:
                    self._commit([job])
            else:
                self._commit(jobs_of_it)
        self._doomed = []
        return len(asked) == len(jobs)

    def _commit(self, jobs: list[_Job]) -> None:
        group = jobs[0][0]
        try:
            results = group.commit([job for _, job, _ in jobs])
        except DatabaseProblem:
            raise
        except (SQLAlchemyError, ValueError, TypeError) as error:
            # One of them holds data the database refuses: each alone, so that it costs only its own page.
            if len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
                return
            log.warning("%s: refused by the database: %s", group.name, error)
            self._tell(self._resolve, jobs, [error])
            return
        self._tell(self._resolve, jobs, results)

    def _tell(self, call: Callable[..., None], *args: Any) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(call, *args)

    @staticmethod
    def _resolve(jobs: Sequence[_Job], results: Sequence[object]) -> None:
        for (_, _, future), result in zip(jobs, results, strict=True):
            if future.done():
                continue  # its waiter was cancelled; what it asked for is written all the same
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)

    def _fail_rest(self) -> None:
        jobs, self._doomed = list(self._doomed), []
        while not self._jobs.empty():
            if (job := self._jobs.get()) is not None:
                jobs.append(job)
        error = (
            self.error if isinstance(self.error, ScraperError) else DatabaseProblem(f"writer stopped: {self.error!r}")
        )
        self._resolve(jobs, [error] * len(jobs))
