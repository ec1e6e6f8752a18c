"""Transactions: readers and writers get along, a busy database is waited for, whole transactions are repeated."""

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from scraper.errors import DatabaseProblem
from scraper.store.database import Database
from scraper.store.schema import open_database


def count(connection: Connection) -> int:
    return int(connection.execute(text("SELECT COUNT(*) FROM sites")).scalar_one())


def test_read_then_write_never_fails_as_locked(database_url: str) -> None:
    """Two loops that read and then write (jentic/jentic-one#529): 200 each, none lost, none refused."""
    database = open_database(database_url)

    def add(name: str) -> None:
        for number in range(100):

            def work(connection: Connection, number: int = number) -> None:
                count(connection)
                connection.execute(text("INSERT INTO sites(name) VALUES(:n)"), {"n": f"{name}{number}"})

            database.transact(work)

    threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as connection:
        assert count(connection) == 200


def test_a_failed_transaction_leaves_nothing_half_done(database_url: str) -> None:
    database = open_database(database_url)

    def work(connection: Connection) -> None:
        connection.execute(text("INSERT INTO sites(name) VALUES('a')"))
        raise KeyError

    with pytest.raises(KeyError):
        database.transact(work)
    with database.read() as connection:
        assert count(connection) == 0


def test_a_locked_database_is_waited_for_and_named_in_the_end(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite"
    holder, waiter = open_database(url), Database(url, patience=0.3)
    with waiter.read() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=50")
    with holder.write(), pytest.raises(DatabaseProblem, match=r"locked.*another process"):
        waiter.transact(lambda connection: connection.execute(text("PRAGMA busy_timeout")))


def test_the_clock_is_the_databases_and_runs_during_a_transaction(database_url: str) -> None:
    database = open_database(database_url)
    with database.write() as connection:
        first = database.now(connection)
        time.sleep(0.05)
        second = database.now(connection)
    assert 40_000 < second - first < 5_000_000
    assert abs(first / 1_000_000 - time.time()) < 60
