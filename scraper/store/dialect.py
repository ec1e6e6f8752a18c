"""All that differs between SQLite and MySQL/MariaDB, in one place."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, Table, text
from sqlalchemy.dialects import mysql, sqlite
from sqlalchemy.exc import DBAPIError


@dataclass(frozen=True)
class Fault:
    """What a database error means for us."""

    reason: str
    """The error in a few words."""
    may_pass: bool
    """Whether the whole transaction may succeed when repeated."""
    advice: str | None
    """What a person should do; None for an error of our own data or code."""


CANNOT_CONNECT = Fault("cannot connect (2003)", False, "is the server running, and is DATABASE_URL right?")
_MYSQL_FAULTS = {
    1020: Fault("a record changed meanwhile (1020)", True, "try again"),
    1205: Fault("lock wait timeout (1205)", True, "another process holds a lock: see SHOW PROCESSLIST"),
    1213: Fault("deadlock (1213)", True, "try again"),
    2006: Fault("server has gone away (2006)", True, "is the server running?"),
    2013: Fault("connection lost (2013)", True, "is the server running?"),
    1040: Fault("too many connections (1040)", True, "raise max_connections, or run fewer workers"),
    1053: Fault("server is stopping (1053)", True, "is the server running?"),
    1317: Fault("query interrupted (1317)", True, "try again"),
    1927: Fault("connection killed (1927)", True, "try again"),
    2003: CANNOT_CONNECT,
    1044: Fault("access denied (1044)", False, "grant the user rights on the database"),
    1045: Fault("access denied (1045)", False, "are user and password in DATABASE_URL right?"),
    1142: Fault("command denied (1142)", False, "grant the user rights on the tables"),
    1049: Fault("unknown database (1049)", False, "create it: CREATE DATABASE …"),
    1290: Fault("server is read-only (1290)", False, "point DATABASE_URL to a server that may be written"),
    1021: Fault("disk full (1021)", False, "make room on the server's disk"),
    1114: Fault("table is full (1114)", False, "make room on the server's disk"),
}
_SQLITE_FAULTS = (
    (
        "locked",
        Fault(
            "database is locked",
            True,
            "another process holds the write lock: which one shows `scrapy status`",
        ),
    ),
    (
        "busy",
        Fault("database is busy", True, "another process holds the write lock: which one shows `scrapy status`"),
    ),
    (
        "unable to open",
        Fault("cannot be opened", False, "does the folder exist, and may this user write there?"),
    ),
    ("readonly", Fault("is read-only", False, "give this user the right to write the file and its folder")),
    ("not a database", Fault("is no SQLite file", False, "point DATABASE_URL to another file")),
    ("malformed", Fault("is damaged", False, "restore a backup; `sqlite3 FILE .recover` may save the rest")),
    (
        "full",
        Fault("disk full", False, "make room on the disk and start again; nothing that was committed is lost"),
    ),
    ("disk i/o", Fault("disk error", False, "look at the disk and its free space")),
)


def fault_of(error: DBAPIError) -> Fault:
    """What a database error means; an error of our own data has no advice."""
    original = error.orig
    if isinstance(original, sqlite3.Error):
        words = str(original).lower()
        for sign, fault in _SQLITE_FAULTS:
            if sign in words:
                return fault
    elif original is not None and original.args:
        code = original.args[0]
        if isinstance(code, int) and code in _MYSQL_FAULTS:
            return _MYSQL_FAULTS[code]
    if error.connection_invalidated:
        return _MYSQL_FAULTS[2013]
    return Fault(f"{type(original).__name__}: {original}", False, None)


def prepare_sqlite(connection: Any, _record: object) -> None:
    """WAL and its companions, on every new connection."""
    cursor = connection.cursor()
    for pragma in (
        "busy_timeout=30000",
        "journal_mode=WAL",
        "synchronous=NORMAL",  # a kill loses nothing; a power cut may cost the last commits
        "foreign_keys=ON",
        "journal_size_limit=67108864",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def prepare_mysql(connection: Any, _record: object) -> None:
    """The session both servers must have, whatever their defaults."""
    cursor = connection.cursor()
    cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    cursor.execute("SET SESSION time_zone='+00:00', innodb_lock_wait_timeout=10, sql_mode='STRICT_ALL_TABLES'")
    if "mariadb" in str(connection.get_server_info()).lower():
        # A frozen process must not keep row locks.
        cursor.execute("SET SESSION idle_write_transaction_timeout=30")
    cursor.close()


class Dialect:
    """The few statements that must be worded per engine."""

    def __init__(self, name: str) -> None:
        self.sqlite = name == "sqlite"

    def now(self, connection: Connection) -> int:
        """Microseconds since 1970 UTC: this machine's clock on SQLite, the server's on MySQL.

        SYSDATE, not NOW: NOW is the start of the statement, so it is stale after a wait for a lock.
        """
        if self.sqlite:
            return time.time_ns() // 1000
        asked = connection.execute(text("SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6))*1000000 AS SIGNED)"))
        return int(asked.scalar_one())

    def insert_missing(self, table: Table) -> Any:
        """An insert that leaves an existing row as it is. Not INSERT IGNORE: that also swallows bad values."""
        if self.sqlite:
            return sqlite.insert(table).on_conflict_do_nothing()
        column = next(iter(table.primary_key))
        return mysql.insert(table).on_duplicate_key_update({column.name: column})

    def locked(self, query: Select[Any]) -> Select[Any]:
        """The rows of `query`, locked for this transaction; on SQLite BEGIN IMMEDIATE holds them already."""
        return query if self.sqlite else query.with_for_update()
