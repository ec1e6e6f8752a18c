"""A run that dies between any two of its effects is finished by the next start, and no kept page is fetched again."""

import re
import signal
from collections import Counter

import pytest

from tests.acceptance.killed import left_by, outcome_of, outcomes_of_runs
from tests.command_line import Completed
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

IN_THE_CRAWL = (
    "run:begun",
    "seed:put",
    "claim:taken#3",
    "body:part#10",
    "body:written#10",
    "fetch:entered#4",
    "unit:written#4",
)
"""Moments at which pages are left to be done."""
IN_A_TRANSACTION = ("fetch:inside#4", "unit:inside#4")
"""The same, on either engine: it must take back what was written so far, and free the rows."""
AFTER_THE_CRAWL = (
    "crawl:closed",
    "run:crawled",
    "enrich:batch",
    "score:batch",
    "export:rows",
    "export:temp",
    "export:ready",
    "export:renamed",
    "run:exported",
)
"""Moments at which the pages are done and the stages after them are not."""
FILES = ("books-book.csv", "books.xlsx", "books-book.jsonl")


def run(project: CopiedProject, site: SiteServer, killed_at: str = "") -> Completed:
    return project.scrapy(
        *("run", "books", "-a", f"base={site.url}", "-s", "DOWNLOAD_DELAY=0"), env={"SCRAPER_CUT_POINT": killed_at}
    )


def check_all_is_there(project: CopiedProject, site: SiteServer) -> None:
    """Sixty books, once each, fetched once each, in finished files; and nothing half done."""
    found = outcome_of(project)
    assert (len(found.pages), len(found.versions)) == (63, 60)
    assert {(status, reason) for _, status, reason in found.pages} == {("parsed", None)}
    assert {(no, state) for _, no, state, _ in found.versions} == {(1, "live")}
    assert len({key for key, *_ in found.versions}) == 60
    assert set(found.fetched.values()) == {1}
    assert outcomes_of_runs(project)[-1] == ("ended", "finished")
    assert broken_invariants(project.database_url, project.cache_dir) == []
    for name in FILES:
        assert (project.export_dir / name).is_file()
        assert (project.export_dir / f"{name}.manifest.json").is_file()
    assert list(project.export_dir.rglob("*.part*")) == []


@pytest.mark.parametrize("moment", IN_THE_CRAWL)
def test_killed_in_the_crawl(small: CopiedProject, small_site: SiteServer, moment: str) -> None:
    check_killed_at(small, small_site, moment, holding=moment not in ("run:begun", "seed:put"))


@pytest.mark.parametrize("moment", IN_A_TRANSACTION)
def test_killed_in_a_transaction(small_on: CopiedProject, small_site: SiteServer, moment: str) -> None:
    check_killed_at(small_on, small_site, moment, holding=True)


def check_killed_at(project: CopiedProject, site: SiteServer, moment: str, *, holding: bool) -> None:
    """A run dies there, holding pages or not, and the next one finishes its work."""
    died = run(project, site, moment)
    assert died.code == -signal.SIGKILL, died.err[-3000:]
    left = left_by(project, site)
    assert (left.held > 0) == holding
    ended = run(project, site)
    assert ended.code == 0, ended.err[-3000:]
    assert ended.out.splitlines()[0] == left.line
    assert left.asked_again(site) == []
    assert outcomes_of_runs(project) == [("lost", "lost"), ("ended", "finished")]
    check_all_is_there(project, site)


def test_killed_among_answers_that_say_there_is_no_such_page(small: CopiedProject, small_site: SiteServer) -> None:
    small_site.override("/catalogue/page-2.html", 404)
    for path in books_of(small_site, "/"):
        small_site.override(path, 404)
    died = run(small, small_site, "unit:inside#3")
    assert died.code == -signal.SIGKILL, died.err[-3000:]
    ended = run(small, small_site)
    assert "books: errors: 21 gone" in ended.out
    assert set(outcome_of(small).fetched.values()) == {1}
    assert broken_invariants(small.database_url, small.cache_dir) == []


def books_of(site: SiteServer, listing: str) -> list[str]:
    """The paths of the books that the first listing page shows."""
    page = site.file_of(listing).read_text("utf-8")
    return [f"/{path}" for path in set(re.findall(r'href="(catalogue/[^"/]+_\d+/index.html)"', page))]


def test_killed_again_and_again_at_the_same_moment(small: CopiedProject, small_site: SiteServer) -> None:
    for _ in range(3):
        died = run(small, small_site, "fetch:entered#3")
        assert died.code == -signal.SIGKILL, died.err[-3000:]
    left = left_by(small, small_site)
    ended = run(small, small_site)
    assert ended.code == 0, ended.err[-3000:]
    assert ended.out.splitlines()[0] == left.line
    assert left.asked_again(small_site) == []
    check_all_is_there(small, small_site)


def test_killed_in_the_second_crawl(small: CopiedProject, small_site: SiteServer) -> None:
    assert run(small, small_site).code == 0
    small_site.forget()
    died = run(small, small_site, "fetch:entered#2")  # the second listing page, which has not changed
    assert died.code == -signal.SIGKILL, died.err[-3000:]
    ended = run(small, small_site)
    assert ended.code == 0, ended.err[-3000:]
    assert ended.out.splitlines()[0].startswith("books: resuming crawl 2, started ")
    listings = Counter(["/", "/catalogue/page-2.html", "/catalogue/page-3.html"])
    assert Counter(path for path in small_site.asked if path != "/robots.txt") == listings
    found = outcome_of(small)
    assert sorted(found.fetched.values()) == [1] * 60 + [2] * 3
    assert {(no, state) for _, no, state, _ in found.versions} == {(1, "live")}
    assert broken_invariants(small.database_url, small.cache_dir) == []


def test_killed_at_one_moment_after_another_once_the_pages_are_in(small: CopiedProject, small_site: SiteServer) -> None:
    said = ["books: crawl 1 begins"]
    for moment in (*AFTER_THE_CRAWL, ""):
        ended = run(small, small_site, moment)
        assert ended.code == (-signal.SIGKILL if moment else 0), (moment, ended.err[-3000:])
        assert ended.out.splitlines()[0] == said[-1], moment
        left = left_by(small, small_site)
        assert (left.left, left.known) == (0, 63)
        assert small_site.asked == [] or len(said) == 1, f"a start after {AFTER_THE_CRAWL[len(said) - 2]} crawled again"
        small_site.forget()
        said.append(f"books: resuming after crawl 1, started {left.started}: its 63 pages are done")
    assert outcomes_of_runs(small) == [("lost", "lost")] * len(AFTER_THE_CRAWL) + [("ended", "finished")]
    check_all_is_there(small, small_site)
