"""Ctrl-C and SIGTERM give claims back at once, end the command non-zero, and lose nothing."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select

from scraper.store.database import Database
from scraper.store.tables import urls
from tests.acceptance.killed import outcome_of, outcomes_of_runs
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


def start_and_wait(
    project: Project, site: SiteServer, command: str, requests: int, *settings: str
) -> subprocess.Popen[str]:
    """A command that crawls, once it has asked for so many pages."""
    process = project.start(command, "books", "-a", f"base={site.url}", *settings)
    until = time.monotonic() + 60
    while len(site.asked) < requests and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    assert process.poll() is None
    return process


def check_released(project: Project, process: subprocess.Popen[str], within: float = SOON) -> str:
    """It ends soon, not as if all were well, and holds nothing; gives what it said."""
    begun = time.monotonic()
    said, _ = process.communicate(timeout=60)
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
    process = start_and_wait(project, books_site, command, 2, "-s", "DOWNLOAD_DELAY=6")
    while at_work(project) < 2 and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(number)
    said = check_released(project, process)
    assert "books: released: shutdown" in said
    assert "go on: scrapy crawl books" in said
    assert len(books_site.asked) <= 3


@pytest.mark.parametrize(("command", "number"), [("run", signal.SIGINT), ("crawl", signal.SIGTERM)])
def test_at_full_speed(project: Project, books_site: SiteServer, command: str, number: int) -> None:
    process = start_and_wait(project, books_site, command, 100, "-s", "DOWNLOAD_DELAY=0")
    process.send_signal(number)
    check_released(project, process)


def test_a_server_that_keeps_silent_is_waited_for_some_seconds_only(project: Project, books_site: SiteServer) -> None:
    process = start_and_wait(project, books_site, "crawl", 5, "-s", "DOWNLOAD_DELAY=0")
    books_site.delay = 15
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    check_released(project, process, within=SOON + 5)


def test_a_second_signal_waits_for_nothing(project: Project, books_site: SiteServer) -> None:
    process = start_and_wait(project, books_site, "crawl", 5, "-s", "DOWNLOAD_DELAY=0")
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
        ended = signalled(small, *words, at=moment, by=BOTH[number % 2].name)
        assert ended.code == 1, (moment, ended)
        assert "Traceback" not in ended.err, (moment, ended.err[-3000:])
        assert outcomes_of_runs(small) == [("ended", "released")] * (number + 1), moment
        assert broken_invariants(small.database_url, small.cache_dir) == [], moment
        small_site.forget()
    ended = small.scrapy(*words)
    assert ended.code == 0, ended.err[-3000:]
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
        ended = signalled(small, *words, at=moment, by=BOTH[number % 2].name)
        assert ended.code == 1, (stage, ended)
        assert ended.err == f"scrapy {stage}: stopped; what was finished is kept, start it again to go on\n"
        assert outcomes_of_runs(small)[1:] == [("ended", "released")] * (number + 1), stage
    assert unfinished(small) == []
    assert broken_invariants(small.database_url, small.cache_dir) == []
