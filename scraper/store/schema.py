"""Brings a database to this code's schema, and refuses one that does not fit, in one line."""

import logging
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from scraper.errors import DatabaseProblem
from scraper.store.database import Database, read_url
from scraper.store.tables import metadata

State = Literal["empty", "current", "older", "newer"]

logging.getLogger("alembic").setLevel(logging.WARNING)  # it greets at every look at the schema


def open_database(url: str) -> Database:
    """The database, ready for work: an empty or missing one is created and migrated, one of another version refused."""
    make_folder(url)
    database = Database(url)
    match state_of(database):
        case "empty":
            migrate(database)
        case "older":
            raise DatabaseProblem(f"{database.label}: its schema is older than this code; run: scrapy migrate")
        case "newer":
            raise DatabaseProblem(f"{database.label}: its schema is newer than this code; update the code")
    return database


def make_folder(url: str) -> None:
    """Make the folder an SQLite file will stand in; raises DatabaseProblem when it cannot be made."""
    parsed = read_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        folder = Path(parsed.database).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseProblem(f"{folder}: cannot be made ({error.strerror}); set DATABASE_URL elsewhere") from error


def state_of(database: Database) -> State:
    """How the database's schema stands to this code's."""
    with database.read() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
        tables = inspect(connection).get_table_names()
    with as_file(files("scraper.store") / "migrations") as folder:
        known = [script.revision for script in ScriptDirectory(str(folder)).walk_revisions()]
    foreign = [name for name in tables if name != "alembic_version" and name not in metadata.tables]
    if foreign and (found is None or (found not in known and not metadata.tables.keys() & set(tables))):
        raise DatabaseProblem(
            f"{database.label}: it holds tables that are not ours ({', '.join(foreign[:3])}); "
            "point DATABASE_URL to an empty database"
        )
    if found is None:
        # Ours without a version are being made just now, or were left by a killed migration; it is repeated.
        return "empty"
    if found == known[0]:
        return "current"
    return "older" if found in known else "newer"


def migrate(database: Database) -> None:
    """Bring the schema up to this code's; of several processes that start at once, one does it and the others wait."""
    with database.write() as connection:
        # SQLite: BEGIN IMMEDIATE keeps the others out, and its DDL is part of the transaction. MySQL's is not.
        if not database.dialect.sqlite:
            # The server's locks have no database of their own, so the name carries it.
            got = connection.execute(text("SELECT GET_LOCK(LEFT(CONCAT('scraper_migrate ', DATABASE()), 64), 60)"))
            if got.scalar() != 1:
                raise DatabaseProblem(f"{database.label}: another process migrates it; try again when it is done")
        try:
            with as_file(files("scraper.store") / "migrations") as folder:
                config = Config(attributes={"connection": connection})
                config.set_main_option("script_location", str(folder).replace("%", "%%"))
                command.upgrade(config, "head")
        finally:
            if not database.dialect.sqlite:
                connection.execute(text("SELECT RELEASE_LOCK(LEFT(CONCAT('scraper_migrate ', DATABASE()), 64))"))
