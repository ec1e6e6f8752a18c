"""Brings a database to this code's schema on an operator's word, and says from where to where."""

from __future__ import annotations

from dataclasses import dataclass

from alembic.migration import MigrationContext

from scraper.errors import DatabaseProblem
from scraper.store.database import Database
from scraper.store.schema import make_folder, migrate, state_of


@dataclass(frozen=True)
class Migrated:
    """What a migration did."""

    label: str
    """The database, without its password."""
    before: str | None
    """Its schema's version before; None for an empty database."""
    after: str
    """Its schema's version now: this code's."""

    def line(self) -> str:
        """The result as a person reads it."""
        if self.before == self.after:
            return f"{self.label}: its schema is current ({self.after})"
        return f"{self.label}: its schema was brought from {self.before or 'nothing'} to {self.after}"


def bring_up_to_date(url: str) -> Migrated:
    """Migrate the database; safe to repeat, and beside others that do the same. Raises DatabaseProblem for a newer one.

    MySQL ends a transaction at each change of a table: what a kill leaves half done there needs the backup.
    """
    make_folder(url)
    database = Database(url)
    state, before = state_of(database), _version(database)
    if state == "newer":
        raise DatabaseProblem(
            f"{database.label}: its schema ({before}) is newer than this code; update the code, nothing was changed"
        )
    if state != "current":
        migrate(database)
    after = _version(database)
    assert after is not None
    return Migrated(database.label, before, after)


def _version(database: Database) -> str | None:
    with database.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()
