"""Two workers share a crawl without stepping on each other; what a dead or frozen one held is done by the other."""

import signal
import subprocess
import time

from sqlalchemy import Engine, create_engine, func, select, text
from sqlalchemy.exc import OperationalError

from scraper.store.database import Database
from scraper.store.tables import fetches, urls
from tests.acceptance.killed import left_by, outcome_of, outcomes_of_runs
from tests.acceptance.started import ended, started, wait_until
from tests.command_line import Project
from tests.invariants import broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

QUARTER = 1050 // 4


def fetched_by_run(project: Project) -> list[int]:
    """How many answers each run has entered, the fewest first."""
    counted = select(func.count()).select_from(fetches).group_by(fetches.c.run_id)
    database = Database(project.database_url)
    with database.read() as connection:
        found = sorted(connection.execute(counted).scalars())
    database.close()
    return found


def test_one_joins_late_and_one_is_killed(project_on: Project, books_site: SiteServer) -> None:
    words = ("crawl", "books", "-a", f"base={books_site.url}", "-s", "DOWNLOAD_DELAY=0")
    books_site.delay = 0.1  # so that the first has not done half of it before the second is up
    with started(project_on, *words) as first:
        wait_until(lambda: len(books_site.asked) > 60, first)
        with started(project_on, *words) as second:
            wait_until(lambda: len(entered := fetched_by_run(project_on)) == 2 and entered[0] >= QUARTER, first, second)
            first.kill()
            first.wait()
            kept = left_by(project_on, books_site)
            begun = time.monotonic()
            said = ended(second)
    assert second.returncode == 0, said[-3000:]
    assert time.monotonic() - begun < 45, "it waited for the minutely look for dead runs"
    assert f"run 1 (crawl, pid {first.pid}) is lost: its process {first.pid} is gone" in said
    assert kept.asked_again(books_site) == []
    check_all_books(project_on)
    assert outcomes_of_runs(project_on) == [("lost", "lost"), ("ended", "finished")]


def check_all_books(project: Project) -> None:
    """1,000 books, once each, fetched once each."""
    found = outcome_of(project)
    assert (len(found.pages), len(found.versions)) == (1050, 1000)
    assert set(found.fetched.values()) == {1}
    assert {(no, state) for _, no, state, _ in found.versions} == {(1, "live")}
    assert broken_invariants(project.database_url, project.cache_dir) == []


def test_two_left_alone_end_together(small: CopiedProject, small_site: SiteServer) -> None:
    words = ("crawl", "books", "-a", f"base={small_site.url}", "-s", "DOWNLOAD_DELAY=0")
    small_site.delay = 0.2
    with started(small, *words) as first, started(small, *words) as second:
        said = [ended(first), ended(second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert sorted(outcomes_of_runs(small)) == [("ended", "finished"), ("ended", "joined-finished")]
    begun = {words.split()[1] for words in said}
    assert begun == {"crawl", "resuming"}, said
    assert {small_site.requests[path] for path in small_site.requests if path != "/robots.txt"} == {1}
    assert len(outcome_of(small).versions) == 60
    assert broken_invariants(small.database_url, small.cache_dir) == []


def test_a_frozen_worker_is_replaced_and_writes_nothing_more(small_on: CopiedProject, small_site: SiteServer) -> None:
    words = ("crawl", "books", "-a", f"base={small_site.url}", "-s", "DOWNLOAD_DELAY=0")
    lease = ("-s", "QUEUE_LEASE=2", "-s", "QUEUE_BEAT=0.5")
    small_site.delay = 0.3
    with started(small_on, *words, *lease) as frozen:
        wait_until(lambda: len(small_site.asked) > 5, frozen)
        freeze(frozen, small_on)

        other = small_on.scrapy(*words, *lease)
        assert other.code == 0, other.err[-3000:]
        assert f"run 1 (crawl, pid {frozen.pid}) is lost: no heartbeat for " in other.err
        found, entered = outcome_of(small_on), fetched_by_run(small_on)
        assert (len(found.pages), len(found.versions)) == (63, 60)

        frozen.send_signal(signal.SIGCONT)
        said = ended(frozen)
    assert frozen.returncode == 1, said[-3000:]
    assert "books: robbed: another run declared this one lost" in said
    assert "Traceback" not in said
    assert (outcome_of(small_on), fetched_by_run(small_on)) == (found, entered)
    assert outcomes_of_runs(small_on) == [("lost", "lost"), ("ended", "finished")]
    assert broken_invariants(small_on.database_url, small_on.cache_dir) == []


def freeze(worker: subprocess.Popen[str], project: Project) -> None:
    """Stop it where it holds pages and no lock: one frozen inside a transaction blocks the others, on any engine."""
    engine = create_engine(project.database_url)
    try:
        for _ in range(40):
            worker.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            if holds_no_lock(engine) and holds_pages(engine):
                return
            worker.send_signal(signal.SIGCONT)
            time.sleep(0.07)  # so that it can end what it has begun
    finally:
        engine.dispose()
    raise AssertionError("it is never outside of a transaction, with pages")


def holds_pages(engine: Engine) -> bool:
    with engine.connect() as connection:
        query = select(func.count()).select_from(urls).where(urls.c.claimed_by.is_not(None))
        return bool(connection.execute(query).scalar_one())


LOCKING = """
    SELECT COUNT(*) FROM information_schema.innodb_trx t
    JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
    WHERE p.db = DATABASE() AND t.trx_lock_structs > 0"""


def holds_no_lock(engine: Engine) -> bool:
    with engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            return not connection.execute(text(LOCKING)).scalar_one()
        try:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("ROLLBACK")
        except OperationalError:
            return False
        return True
