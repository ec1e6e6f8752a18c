"""What tests are given: the shared data, real sites on loopback, real databases, and the command line."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import URL

from scraper.settings import PROJECT_DIR
from tests.command_line import Project
from tests.mariadb import MariaDB
from tests.site_server import SiteServer


def missing(what: str) -> NoReturn:
    """Skip the test in one line on a developer's machine; fail it in CI, where everything must be there."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the shared data (SHARED_DIR, else `shared` beside the project)."""
    folder = Path(os.environ.get("SHARED_DIR") or PROJECT_DIR.parent / "shared").resolve()
    if not folder.is_dir():
        missing(f"the shared data is not there: set SHARED_DIR (looked in {folder})")
    return folder


@pytest.fixture
def books_site(shared: Path) -> Iterator[SiteServer]:
    """The kept pages of books.toscrape.com on loopback."""
    with SiteServer(shared / "sites" / "books") as site:
        yield site


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariaDB]:
    """A MariaDB server of this worker's own."""
    if reason := MariaDB.missing():
        missing(reason)
    server = MariaDB()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def fresh_mariadb(mariadb: MariaDB) -> str:
    """The URL of a new, empty MariaDB database."""
    return mariadb.fresh_database()


@pytest.fixture
def fresh_sqlite(tmp_path: Path) -> str:
    """The URL of an SQLite file that does not exist yet."""
    return URL.create("sqlite", database=str(tmp_path / "scraper.sqlite")).render_as_string()


@pytest.fixture(params=["sqlite", "mariadb"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The same test on both engines, each time on an empty database."""
    return str(request.getfixturevalue(f"fresh_{request.param}"))


@pytest.fixture
def project(tmp_path: Path, fresh_sqlite: str) -> Project:
    """The commands, on an SQLite file, a cache and an export folder of this test's own."""
    return Project(tmp_path, fresh_sqlite)


@pytest.fixture
def project_on(tmp_path: Path, database_url: str) -> Project:
    """The same, once on each engine."""
    return Project(tmp_path, database_url)
