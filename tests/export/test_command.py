"""`scrapy export` as an operator types it."""

import json
import re

import pytest

from scraper.queue.live_run import LiveRun
from scraper.store.schema import open_database
from scraper.store.tables import crawls
from tests.command_line import Project
from tests.stored_books import StoredBooks, book


def fill(project: Project, books: int) -> None:
    """A finished crawl of `books` with so many records."""
    database = open_database(project.database_url)
    stored = StoredBooks(database)
    stored.fill(book(f"{number:04}", "51.77") for number in range(books))
    with database.write() as connection:
        row = {"site_id": stored.site_id, "no": 1, "state": "finished", "started_at": 1, "finished_at": 2}
        connection.execute(crawls.insert().values(**row, code_version="1"))
    database.close()


def test_files_lines_and_what_to_type_next(project: Project) -> None:
    fill(project, 950)
    done = project.scrapy("export", "books", "--format", "csv,xlsx,jsonl")
    assert done.code == 0, done
    assert done.err == ""
    lines = done.out.splitlines()
    assert len(lines) == 4
    for line, name in zip(lines, ("books-book.csv", "books.xlsx", "books-book.jsonl"), strict=False):
        file = project.export_dir / name
        assert line == f"{file}: 950 records, {file.stat().st_size:,} bytes"
        assert json.loads((project.export_dir / f"{name}.manifest.json").read_text())["records"] == 950
    assert lines[3] == f"next: less '{project.export_dir / 'books-book.jsonl.manifest.json'}'"
    header = (project.export_dir / "books-book.csv").read_text(encoding="utf-8-sig").partition("\n")[0]
    assert header.startswith("upc,title,price,currency,stock,rating,category,description,reviews,url,")
    assert header.endswith(",score,reasons")


def test_held_back_is_exit_4_and_force_publishes(project: Project) -> None:
    fill(project, 3)
    done = project.scrapy("export", "books", "--output", str(project.folder / "out put"))
    assert done.code == 4, done
    assert re.search(r"out put/quarantine/books-book-[\d-]+\.csv: 3 records", done.out)
    assert "held back: promise broken: records: 3, promised at least 950" in done.out
    assert "next: scrapy status books" in done.out
    assert not (project.folder / "out put" / "books-book.csv").exists()
    done = project.scrapy("export", "books", "--output", str(project.folder / "out put"), "--force")
    assert done.code == 0, done
    assert (project.folder / "out put" / "books-book.csv").exists()


def test_before_the_first_crawl_nothing_is_written(project: Project) -> None:
    for _ in range(2):
        done = project.scrapy("export", "books", "--force")
        assert (done.code, done.out) == (2, "")
        assert done.err == "scrapy export: books was never crawled into this database; type: scrapy crawl books\n"
    assert not project.export_dir.exists()
    database = open_database(project.database_url)
    with database.read() as connection:
        for table in ("sites", "runs", "exports"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0
    database.close()


def test_while_the_newest_crawl_is_open_the_crawl_comes_next(project: Project) -> None:
    fill(project, 3)
    database = open_database(project.database_url)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE crawls SET state = 'open', open_key = site_id, finished_at = NULL")
    database.close()
    done = project.scrapy("export", "books")
    assert done.code == 4, done
    assert "held back: the newest crawl of books is open, not finished" in done.out
    assert "next: scrapy crawl books   (to publish" in done.out


def test_the_run_is_recorded(project: Project) -> None:
    fill(project, 0)
    done = project.scrapy("export", "books")
    assert done.code == 4
    database = open_database(project.database_url)
    with database.read() as connection:
        row = connection.exec_driver_sql("SELECT stage, state, outcome, figures FROM runs").one()
    database.close()
    assert tuple(row)[:3] == ("export", "ended", "finished")
    assert list(json.loads(row.figures).values()) == [0]


def test_busy_is_exit_3(project: Project) -> None:
    fill(project, 3)
    database = open_database(project.database_url)
    with LiveRun.begin(database, "books", stage="export") as run:
        with database.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO exports (site_id, kind, format, options_hash, open_key, path, as_of, schema_version,"
                " result, forced, started_at, run_id) VALUES (1, 'book', 'csv', x'00', '1:book:csv', '/x', 1, '1',"
                f" 'building', 0, 1, {run.id})"
            )
        done = project.scrapy("export", "books")
        assert done.code == 3, done
        assert f"run {run.id} (process" in done.err
        assert len(done.err.splitlines()) == 1
    database.close()
    assert project.scrapy("export", "books", "--force").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "no site 'nowhere'"),
        (["books", "--format", "pdf"], "no format 'pdf' in exports/; there are: csv, jsonl, xlsx"),
        (["books", "--option", "csv.colour=red"], "format csv has no option 'colour'"),
        ([], "it takes SITE"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(project: Project, words: list[str], said: str) -> None:
    done = project.scrapy("export", *words)
    assert done.code == 2, done
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (project.folder / "scraper.sqlite").exists()
