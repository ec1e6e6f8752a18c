"""The schema: made by the first who comes, equal to the code's tables, and refused in one line when it does not fit."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from scraper.errors import DatabaseProblem, WrongUsage
from scraper.store.database import Database
from scraper.store.schema import migrate, open_database, state_of
from scraper.store.tables import metadata


def test_the_first_command_makes_it_and_it_equals_the_tables(database_url: str) -> None:
    database = open_database(database_url)
    assert state_of(database) == "current"
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    migrate(database)
    assert state_of(database) == "current"


def test_processes_that_start_at_once_share_one_migration(database_url: str) -> None:
    code = "import sys; from scraper.store.schema import open_database as o; o(sys.argv[1]).close()"
    started = [subprocess.Popen([sys.executable, "-c", code, database_url], stderr=subprocess.PIPE) for _ in range(4)]
    results = [(process.communicate()[1].decode()[-300:], process.returncode) for process in started]
    assert results == [("", 0)] * 4


def test_another_version_is_refused_with_what_to_do(database_url: str) -> None:
    database = open_database(database_url)
    for revision, words in (("9999", "newer"), ("", "newer")):
        with database.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num=:v"), {"v": revision})
        with pytest.raises(DatabaseProblem, match=words):
            open_database(database_url)


def test_tables_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "theirs.sqlite"
    with sqlite3.connect(file) as theirs:
        theirs.execute("CREATE TABLE customers(id)")
    theirs.close()
    with pytest.raises(DatabaseProblem, match="customers"):
        open_database(f"sqlite:///{file}")


@pytest.mark.parametrize("url", ["postgresql://h/d", "nonsense", "sqlite://", "sqlite:///:memory:", "oracle+x://h/d"])
def test_a_database_that_cannot_be_used_is_named(url: str) -> None:
    with pytest.raises(WrongUsage, match="DATABASE_URL"):
        Database(url)
