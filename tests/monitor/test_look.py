"""The status of sites: broken ones hide no other, dead runs are told from live ones, and all fits in 80 columns."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import update

from scraper.errors import UnknownSite
from scraper.monitor.look import look
from scraper.monitor.status import SiteStatus, Status
from scraper.monitor.status_lines import show
from scraper.store import crawls, runs
from scraper.store.database import Database
from scraper.store.schema import open_database
from scraper.store.sites import site_id_of
from scraper.store.tables import exports, urls
from scraper.store.tables import runs as runs_table
from tests.site_folder import site_folder


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = open_database(database_url)
    yield database
    database.close()


def crawl(database: Database, name: str, *, closed: bool) -> tuple[int, crawls.Crawl]:
    """A crawl of three pages, one of them in error, as a live run of this process has it."""
    with database.write() as connection:
        site_id = site_id_of(database, connection, name)
        opened = crawls.open_new(database, connection, site_id, fresh=False, code="c")
        run_id = runs.begin(database, connection, site_id, "crawl", opened.id, "c")
        for number, status in enumerate(("parsed", "error", "in_progress")):
            code = "network" if status == "error" else None
            row = {"site_id": site_id, "fp": bytes([number]) * 20, "crawl_id": opened.id, "host_id": 1}
            row |= {"page_type": "book", "url": f"u{number}", "created_at": 1, "status": status, "reason_code": code}
            connection.execute(urls.insert().values(**row))
        if closed:
            crawls.close(database, connection, opened, "incomplete", "1 listing pages in error")
    return run_id, opened


def site(status: Status, name: str) -> SiteStatus:
    return next(one for one in status.sites if one.name == name)


def shown(status: Status, *, details: bool = False) -> str:
    console = Console(file=io.StringIO(), width=80)
    show(console, status, details=details)
    return console.file.getvalue()


def test_a_broken_site_hides_no_other(database: Database, tmp_path: Path) -> None:
    crawl(database, "books", closed=False)
    with site_folder(tmp_path, "ruin", {"__init__.py": "import nothing_of_that_name"}):
        status = look(database)
        assert site(status, "ruin").state == "broken"
        assert site(status, "books").state == "running"
        lines = shown(status).splitlines()
    assert any(line.startswith("ruin: broken: ") and "nothing_of_that_name" in line for line in lines)
    assert any(line.split()[:3] == ["books", "1", "running"] for line in lines)


def test_rows_of_a_site_whose_folder_is_gone_are_shown(database: Database) -> None:
    crawl(database, "bygone", closed=False)
    told = site(look(database), "bygone")
    assert told.broken is not None
    assert told.crawl is not None
    assert [one.name for one in look(database, "bygone").sites] == ["bygone"]
    with pytest.raises(UnknownSite):
        look(database, "never_there")


def test_a_live_run_is_told_from_a_dead_one(database: Database) -> None:
    run_id, _ = crawl(database, "books", closed=False)
    live = site(look(database), "books")
    assert [(run.stage, run.dead) for run in live.runs] == [("crawl", None)]
    assert "crawl on " in shown(look(database, "books"))
    with database.write() as connection:
        connection.execute(update(runs_table).where(runs_table.c.id == run_id).values(pid=2**22 + 1))
    dead = site(look(database), "books")
    assert dead.state == "open"
    assert dead.runs[0].dead is not None
    assert "books: nobody works on crawl 1; go on: scrapy crawl books" in shown(look(database))


def test_a_closed_crawl_is_held_against_its_promises(database: Database) -> None:
    run_id, closed = crawl(database, "books", closed=True)
    with database.write() as connection:
        runs.end(database, connection, run_id, "finished", None, None)
        for result in ("published", "quarantined"):
            row = {
                "site_id": closed.site_id,
                "kind": "book",
                "format": "csv",
                "options_hash": b"o" * 32,
                "path": result,
            }
            row |= {"as_of": 1, "schema_version": "s", "result": result, "started_at": 1, "run_id": run_id}
            connection.execute(exports.insert().values(**row))
    status = look(database, "books")
    told = site(status, "books")
    assert told.state == "incomplete"
    assert told.promises_broken == ("records: 0, promised at least 950",)
    assert [one.result for one in told.exports] == ["quarantined"]
    text = shown(status, details=True)
    assert "books: crawl 1 is incomplete: 1 listing pages in error" in text
    assert "sooner: scrapy requeue books --reason network" in text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith("books: "))
    counted = json.loads(json.dumps(status.as_json()))["sites"][0]["crawl"]
    assert (counted["discovered"], counted["parsed"], counted["error"], counted["in_progress"]) == (3, 1, 1, 1)


def test_nothing_crawled_yet_says_how_to_begin(database: Database) -> None:
    assert "begin with: scrapy crawl books" in shown(look(database))
