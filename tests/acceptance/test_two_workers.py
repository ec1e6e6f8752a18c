"""Two workers share a crawl without stepping on each other; what a dead or frozen one held is done by the other."""

import subprocess
import time
from collections.abc import Callable

from sqlalchemy import func, select

from scraper.store.database import Database
from scraper.store.tables import fetches
from tests.acceptance.killed import left_by, outcome_of, outcomes_of_runs
from tests.command_line import Project
from tests.invariants import broken_invariants
from tests.site_server import SiteServer

QUARTER = 1050 // 4
PATIENCE = 120.0
"""Seconds that a worker may take for what is waited for."""


def fetched_by_run(project: Project) -> list[int]:
    """How many answers each run has entered, the fewest first."""
    counted = select(func.count()).select_from(fetches).group_by(fetches.c.run_id)
    database = Database(project.database_url)
    with database.read() as connection:
        found = sorted(connection.execute(counted).scalars())
    database.close()
    return found


def wait_until(true: Callable[[], bool], *workers: subprocess.Popen[str]) -> None:
    """Wait while all workers work."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until
        assert [worker.poll() for worker in workers] == [None] * len(workers)
        time.sleep(0.05)


def test_one_joins_late_and_one_is_killed(project_on: Project, books_site: SiteServer) -> None:
    words = ("crawl", "books", "-a", f"base={books_site.url}", "-s", "DOWNLOAD_DELAY=0")
    books_site.delay = 0.1  # so that the first has not done half of it before the second is up
    first = project_on.start(*words)
    wait_until(lambda: len(books_site.asked) > 60, first)
    second = project_on.start(*words)
    wait_until(lambda: len(entered := fetched_by_run(project_on)) == 2 and entered[0] >= QUARTER, first, second)
    first.kill()
    first.communicate(timeout=PATIENCE)
    left = left_by(project_on, books_site)
    killed_at = time.monotonic()

    said, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, said[-3000:]
    print("took", time.monotonic() - killed_at, left.left, fetched_by_run(project_on))
    assert left.asked_again(books_site) == []
    found = outcome_of(project_on)
    assert (len(found.pages), len(found.versions)) == (1050, 1000)
    assert set(found.fetched.values()) == {1}
    assert {(no, state) for _, no, state, _ in found.versions} == {(1, "live")}
    assert outcomes_of_runs(project_on) == [("lost", "lost"), ("ended", "finished")]
    assert broken_invariants(project_on.database_url, project_on.cache_dir) == []
