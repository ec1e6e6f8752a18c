"""What acceptance tests begin from: the project in a copy of its own, fresh, or after one healthy run of all books."""

import fcntl
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import URL, update

from scraper.store.database import Database
from scraper.store.tables import sites
from tests.acceptance.books_run import BooksRun, run_books
from tests.command_line import Completed
from tests.site_copy import CopiedProject, copy_project
from tests.site_server import SiteServer


@pytest.fixture
def small_site(books_site: SiteServer) -> SiteServer:
    """The first three listing pages of the shop with their sixty books: the third has no next page here."""
    path = "/catalogue/page-3.html"
    page = books_site.file_of(path).read_bytes()
    books_site.override(path, page.replace(b'<li class="next">', b"<li>"))
    return books_site


@pytest.fixture
def small(tmp_path: Path, fresh_sqlite: str) -> CopiedProject:
    """The commands of a copy of the project that promises sixty books, on SQLite."""
    return _small(CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path)))


@pytest.fixture
def small_on(tmp_path: Path, database_url: str) -> CopiedProject:
    """The same, once on each engine."""
    return _small(CopiedProject(tmp_path, database_url, home=copy_project(tmp_path)))


def _small(project: CopiedProject) -> CopiedProject:
    project.change("spiders/books/__init__.py", "Promises(records=950,", "Promises(records=60,")
    return project


@pytest.fixture(scope="session")
def first_run(shared: Path, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> BooksRun:
    """`run books` on SQLite, done once however many workers test: it is a minute's work. Read it, change nothing."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "first_run"
    with _alone(folder.with_suffix(".lock")):
        told = folder / "told.json"
        if not told.exists():
            folder.mkdir()
            project = _project(folder, copy_project(folder))
            with SiteServer(shared / "sites" / "books") as site:
                run = run_books(project, site)
            told.write_text(json.dumps({"ended": asdict(run.ended), "requests": run.requests}), encoding="utf-8")
        known = json.loads(told.read_text(encoding="utf-8"))
    return BooksRun(_project(folder, folder / "project"), Completed(**known["ended"]), Counter(known["requests"]))


@pytest.fixture
def after_first_run(first_run: BooksRun, books_site: SiteServer, tmp_path: Path) -> CopiedProject:
    """Project, database and cache as that run left them, copied, and turned to this test's server."""
    assert first_run.ended.code == 0, first_run.ended
    source = first_run.project
    for name in ("cache", "exports"):
        shutil.copytree(source.folder / name, tmp_path / name)
    shutil.copy(source.folder / "scraper.sqlite", tmp_path)
    project = _project(tmp_path, copy_project(tmp_path, source.home))
    database = Database(project.database_url)
    with database.write() as connection:
        connection.execute(update(sites).values(base=books_site.url))
    database.close()
    return project


def _project(folder: Path, home: Path) -> CopiedProject:
    database = URL.create("sqlite", database=str(folder / "scraper.sqlite")).render_as_string()
    return CopiedProject(folder, database, home=home)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """While it lasts, no other worker of these tests is in here."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
