"""The way to the database: one engine, short transactions, whole ones repeated, and the clock all workers share."""

from __future__ import annotations

import logging
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from scraper.errors import DatabaseProblem, WrongUsage
from scraper.store.dialect import CANNOT_CONNECT, Dialect, fault_of, prepare_mysql, prepare_sqlite

log = logging.getLogger(__name__)
T = TypeVar("T")
PATIENCE = 60.0
"""Seconds a transaction is repeated while the database is busy, deadlocks or restarts."""

_USE = "use sqlite:///FILE or mysql+pymysql://USER:PASSWORD@HOST/NAME"


def read_url(url: str) -> URL:
    """A DATABASE_URL in its parts; raises WrongUsage for one that is none, or of a database we do not speak to."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        raise WrongUsage(f"DATABASE_URL cannot be read: {error}; {_USE}") from error
    if parsed.get_backend_name() not in ("sqlite", "mysql", "mariadb"):
        raise WrongUsage(f"DATABASE_URL={parsed.render_as_string()}: {_USE}")
    return parsed


class Database:
    """Where every table lives. Gives connections inside a transaction, and repeats a whole one when it may be."""

    def __init__(self, url: str, patience: float = PATIENCE) -> None:
        parsed = read_url(url)
        try:
            self.engine = self._engine(parsed)
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            raise WrongUsage(f"DATABASE_URL cannot be used: {error}; {_USE}") from error
        self.label = parsed.render_as_string(hide_password=True)
        self.dialect = Dialect(self.engine.dialect.name)
        self.patience = patience
        self._reached = False

    @staticmethod
    def _engine(url: URL) -> Engine:
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:":
                raise WrongUsage("DATABASE_URL: SQLite needs a file (sqlite:///FILE); processes share it")
            if sqlite3.sqlite_version_info < (3, 35):
                raise WrongUsage(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed")
            engine = create_engine(url, connect_args={"timeout": 30, "isolation_level": None})
            event.listen(engine, "connect", prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        url = url.set(drivername="mysql+pymysql").update_query_dict({"charset": "utf8mb4"})
        engine = create_engine(url, pool_pre_ping=True, pool_recycle=3600, connect_args={"connect_timeout": 10})
        event.listen(engine, "connect", prepare_mysql)
        return engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a transaction that only reads, without locks; a statement sees what is committed by then."""
        with self._problems_named(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one writing transaction: committed at the end, rolled back by an exception."""
        with self._problems_named(), self.engine.connect() as connection:
            connection = connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one writing transaction; a deadlock, a lock or a lost connection repeats the whole of it.

        So `work` must read what it needs inside. Raises DatabaseProblem after `patience` seconds.
        """
        until, pause = time.monotonic() + self.patience, 0.02
        while True:
            try:
                with self.engine.connect() as connection:
                    connection = connection.execution_options(writes=True)
                    self._reached = True
                    with connection.begin():
                        return work(connection)
            except DBAPIError as error:
                fault = fault_of(error)
                # A server that was there before is restarting; one that never answered is the wrong one.
                restarting = self._reached and fault is CANNOT_CONNECT
                if not (fault.may_pass or restarting) or time.monotonic() > until:
                    self._raise_named(error)
                log.warning("The database answered %s; the transaction is repeated", fault.reason)
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads workers, guards nothing
            pause = min(pause * 2, 2.0)

    def now(self, connection: Connection) -> int:
        """The time all workers share, in microseconds since 1970 UTC; ask after the write lock is held."""
        return self.dialect.now(connection)

    @contextmanager
    def _problems_named(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            self._raise_named(error)

    def _raise_named(self, error: DBAPIError) -> None:
        """Raise a DatabaseProblem for a fault of the server, disk or file; anything else (a bad value) as it is."""
        if (advice := fault_of(error).advice) is None:
            raise error
        raise DatabaseProblem(f"{self.label}: {error.orig}: {advice}") from error

    def close(self) -> None:
        """Close all pooled connections."""
        self.engine.dispose()


def _begin_sqlite(connection: Connection) -> None:
    """A deferred transaction that reads and then writes fails as locked at once, whatever the timeout."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")
