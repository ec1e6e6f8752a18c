"""A run killed twenty times in the middle of its work comes to exactly what an undisturbed one comes to."""

import random
import signal
import time

from tests.acceptance.books_run import BooksRun
from tests.acceptance.killed import Left, left_by, outcome_of, outcomes_of_runs
from tests.acceptance.started import ended, started, wait_until
from tests.command_line import Project
from tests.invariants import broken_invariants
from tests.site_server import SiteServer

KILLS = 20
SEED = 41
"""Of the moments: the same in each test run, as far as a crawl can be."""


def kill_after(project: Project, site: SiteServer, requests: int, seconds: float) -> str:
    """Start the run and kill it, `seconds` after it has sent so many requests; gives what it said."""
    wanted = len(site.asked) + requests
    with started(project, *run_of(site)) as process:
        wait_until(lambda: len(site.asked) >= wanted, process)
        time.sleep(seconds)
        process.kill()
        said = ended(process)
    assert process.returncode == -signal.SIGKILL, said[-3000:]
    return said


def run_of(site: SiteServer) -> tuple[str, ...]:
    return ("run", "books", "-a", f"base={site.url}", "-s", "DOWNLOAD_DELAY=0")


def test_twenty_kills_lose_and_double_nothing(project: Project, books_site: SiteServer, first_run: BooksRun) -> None:
    moments = random.Random(SEED)
    kills: list[Left] = []
    for _ in range(KILLS):
        said = kill_after(project, books_site, moments.randint(5, 75), moments.uniform(0, 0.2))
        if kills:
            assert kills[-1].line in said.splitlines()
        kills.append(left_by(project, books_site))
        for earlier in kills:
            assert earlier.asked_again(books_site) == []
    assert sum(kill.held > 0 for kill in kills) >= 15, [kill.held for kill in kills]
    assert sum(kill.unparsed > 0 for kill in kills) >= 5, "no kill fell between a page's fetch and its parsing"
    assert len({kill.known for kill in kills}) > 10, "the kills are not spread over the crawl"

    last = project.scrapy(*run_of(books_site))
    assert last.code == 0, last.err[-3000:]
    assert last.out.splitlines()[0] == kills[-1].line
    for kill in kills:
        assert kill.asked_again(books_site) == []

    found = outcome_of(project)
    assert (len(found.pages), len(found.versions)) == (1050, 1000)
    assert {(no, state) for _, no, state, _ in found.versions} == {(1, "live")}
    assert set(found.fetched.values()) == {1}
    assert found == outcome_of(first_run.project)
    assert outcomes_of_runs(project) == [("lost", "lost")] * KILLS + [("ended", "finished")]
    assert broken_invariants(project.database_url, project.cache_dir) == []
    for name in ("books-book.csv", "books-book.jsonl"):
        assert len((project.export_dir / name).read_bytes().splitlines()) >= 1000
