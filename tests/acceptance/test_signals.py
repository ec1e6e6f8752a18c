"""Ctrl-C and SIGTERM give claims back at once, end the command non-zero, and lose nothing."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from scraper.store.database import Database
from scraper.store.tables import urls
from tests.acceptance.killed import outcome_of, outcomes_of_runs
from tests.acceptance.started import ended, started, wait_until
from tests.command_line import Completed, Project
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

SOON = 4.0
"""Seconds in which a stopped command ends; under one on an idle machine."""
BOTH = (signal.SIGINT, signal.SIGTERM)


def at_work(project: Project) -> int:
    """Pages that are claimed."""
    database = Database(project.database_url)
    with database.read() as connection:
        query = select(func.count()).select_from(urls).where(urls.c.claimed_by.is_not(None))
        found = connection.execute(query).scalar_one()
    database.close()
    return found


@contextmanager
def crawling(
    project: Project, site: SiteServer, command: str, requests: int, delay: int
) -> Iterator[subprocess.Popen[str]]:
    """A command that crawls, once it has asked for so many pages."""
    with started(project, command, "books", "-a", f"base={site.url}", "-s", f"DOWNLOAD_DELAY={delay}") as process:
        wait_until(lambda: len(site.asked) >= requests, process)
        yield process


def check_released(project: Project, process: subprocess.Popen[str], within: float = SOON) -> str:
    """It ends soon, not as if all were well, and holds nothing; gives what it said."""
    begun = time.monotonic()
    said = ended(process)
    assert time.monotonic() - begun < within, said[-3000:]
    assert process.returncode != 0
    assert "Traceback" not in said
    assert at_work(project) == 0
    assert outcomes_of_runs(project) == [("ended", "released")]
    assert broken_invariants(project.database_url, project.cache_dir) == []
    return said


@pytest.mark.parametrize("number", BOTH)
@pytest.mark.parametrize("command", ["crawl", "run"])
def test_with_the_default_delay(project: Project, books_site: SiteServer, command: str, number: int) -> None:
    with crawling(project, books_site, command, 2, delay=6) as process:
        wait_until(lambda: at_work(project) > 1, process)
        process.send_signal(number)
        said = check_released(project, process)
    assert "books: released: shutdown" in said
    assert "go on: scrapy crawl books" in said
    assert len(books_site.asked) <= 3


@pytest.mark.parametrize(("command", "number"), [("run", signal.SIGINT), ("crawl", signal.SIGTERM)])
def test_at_full_speed(project: Project, books_site: SiteServer, command: str, number: int) -> None:
    with crawling(project, books_site, command, 100, delay=0) as process:
        process.send_signal(number)
        check_released(project, process)


def test_a_server_that_keeps_silent_is_waited_for_some_seconds_only(project: Project, books_site: SiteServer) -> None:
    with crawling(project, books_site, "crawl", 5, delay=0) as process:
        books_site.delay = 15
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        check_released(project, process, within=SOON + 5)


def test_a_second_signal_waits_for_nothing(project: Project, books_site: SiteServer) -> None:
    with crawling(project, books_site, "crawl", 5, delay=0) as process:
        books_site.delay = 8
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = check_released(project, process, within=2)
    assert "books: released: stopped by a signal before it had closed" in said


def signalled(project: CopiedProject, *words: str, at: str, by: str) -> Completed:
    """A command that gets the signal at that moment."""
    return project.scrapy(*words, env={"SCRAPER_CUT_POINT": at, "SCRAPER_CUT_SIGNAL": by})


def test_after_the_crawl_too(small: CopiedProject, small_site: SiteServer) -> None:
    words = ("run", "books", "-a", f"base={small_site.url}", "-s", "DOWNLOAD_DELAY=0")
    moments = ("crawl:closed", "run:crawled", "enrich:batch", "score:batch", "export:rows", "export:ready")
    for number, moment in enumerate(moments):
        stopped = signalled(small, *words, at=moment, by=BOTH[number % 2].name)
        assert stopped.code == 1, (moment, stopped)
        assert "Traceback" not in stopped.err, (moment, stopped.err[-3000:])
        assert outcomes_of_runs(small) == [("ended", "released")] * (number + 1), moment
        assert broken_invariants(small.database_url, small.cache_dir) == [], moment
        small_site.forget()
    last = small.scrapy(*words)
    assert last.code == 0, last.err[-3000:]
    assert small_site.asked == []
    assert len(outcome_of(small).versions) == 60
    assert unfinished(small) == []
    assert broken_invariants(small.database_url, small.cache_dir) == []


def unfinished(project: Project) -> list[Path]:
    """Files that are not whole."""
    return list(project.export_dir.rglob("*.part*"))


def test_the_stages_alone(small: CopiedProject, small_site: SiteServer) -> None:
    crawled = small.scrapy("crawl", "books", "-a", f"base={small_site.url}", "-s", "DOWNLOAD_DELAY=0")
    assert crawled.code == 0, crawled.err[-3000:]
    stages = (
        ("enrich", "enrich:batch"),
        ("score", "score:batch"),
        ("export", "export:temp"),
        ("reparse", "unit:inside"),
    )
    for number, (stage, moment) in enumerate(stages):
        words = (stage, "books", "--all") if stage == "reparse" else (stage, "books")
        stopped = signalled(small, *words, at=moment, by=BOTH[number % 2].name)
        assert stopped.code == 1, (stage, stopped)
        assert stopped.err == f"scrapy {stage}: stopped; what was finished is kept, start it again to go on\n"
        assert outcomes_of_runs(small)[1:] == [("ended", "released")] * (number + 1), stage
    assert unfinished(small) == []
    assert broken_invariants(small.database_url, small.cache_dir) == []
