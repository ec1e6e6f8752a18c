"""What the tests of the export room are given."""

from collections.abc import Iterator

import pytest

from scraper.store.database import Database
from scraper.store.schema import open_database
from tests.export.shop import StoredShop


@pytest.fixture
def database(fresh_sqlite: str) -> Iterator[Database]:
    """An empty database."""
    opened = open_database(fresh_sqlite)
    yield opened
    opened.close()


@pytest.fixture
def shop(database: Database) -> StoredShop:
    """The shop's database; empty."""
    return StoredShop(database)
