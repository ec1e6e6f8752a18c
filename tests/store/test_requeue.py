"""Requeue: which rows go back, into which crawl, and what is left alone."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from scraper.store import crawls
from scraper.store.database import Database
from scraper.store.requeue import REASONS, Requeued, requeue
from scraper.store.schema import open_database
from scraper.store.sites import site_id_of
from scraper.store.tables import crawls as crawls_table
from scraper.store.tables import urls


class Queue:
    """A site with crawls and rows, made by hand."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.write() as connection:
            self.site_id = site_id_of(database, connection, "books")
            self.other_id = site_id_of(database, connection, "other")

    def crawl(self, *, closed: bool) -> int:
        with self.database.write() as connection:
            crawl = crawls.open_new(self.database, connection, self.site_id, fresh=False, code="c")
            if closed:
                crawls.close(self.database, connection, crawl, "finished", None)
        return crawl.id

    def put(self, crawl_id: int, name: str, code: str | None, site_id: int | None = None, **more: object) -> None:
        error = {"status": "error", "stage": "fetch", "reason_code": code, "reason": "why"}
        row = {"site_id": site_id or self.site_id, "fp": name.encode().ljust(20), "crawl_id": crawl_id, "host_id": 1}
        row |= {"page_type": "book", "url": name, "created_at": 1, "attempts": 3, "strikes": 2, "due": 5}
        with self.database.write() as connection:
            connection.execute(urls.insert().values(**row, **(error if code else {"status": "parsed"}), **more))

    def requeue(self, reason: str | None = None, within: timedelta = timedelta(days=1)) -> Requeued:
        return self.database.transact(
            lambda connection: requeue(self.database, connection, self.site_id, reason, within)
        )

    def rows(self) -> dict[str, tuple[object, ...]]:
        columns = (urls.c.status, urls.c.crawl_id, urls.c.attempts, urls.c.strikes, urls.c.due, urls.c.reason_code)
        with self.database.read() as connection:
            return {row[0]: tuple(row[1:]) for row in connection.execute(select(urls.c.url, *columns))}


@pytest.fixture
def queue(database_url: str) -> Iterator[Queue]:
    database = open_database(database_url)
    yield Queue(database)
    database.close()


def test_errors_of_any_crawl_wait_in_the_newest_which_is_open_again(queue: Queue) -> None:
    old, new = queue.crawl(closed=True), queue.crawl(closed=True)
    queue.put(old, "old", "network")
    queue.put(new, "new", "gone", parsed_hash=b"h" * 32)
    queue.put(new, "good", None)
    queue.put(new, "foreign", "network", site_id=queue.other_id)
    before = queue.rows()
    done = queue.requeue()
    assert done.counts == {"network": 1, "gone": 1}
    assert done.reopened
    rows = queue.rows()
    assert rows["old"] == rows["new"] == ("pending", new, 0, 0, 0, None)
    assert rows["good"] == before["good"]
    assert rows["foreign"] == before["foreign"]
    with queue.database.read() as connection:
        open_one = crawls.find_open(connection, queue.site_id)
        row = connection.execute(select(crawls_table).where(crawls_table.c.id == new)).mappings().one()
    assert open_one is not None
    assert open_one.id == new
    assert (row["finished_at"], row["figures"], row["reason"]) == (None, None, None)
    assert queue.requeue() == Requeued(open_one, {}, 0, False, None)


def test_one_reason_only_and_nothing_found_opens_nothing(queue: Queue) -> None:
    crawl = queue.crawl(closed=True)
    queue.put(crawl, "a", "network")
    queue.put(crawl, "b", "block")
    assert queue.requeue("robots").total == 0
    with queue.database.read() as connection:
        assert crawls.find(connection, crawl).state == "finished"
    assert queue.requeue("block").counts == {"block": 1}
    assert queue.rows()["a"][0] == "error"
    again = queue.requeue("network")
    assert again.counts == {"network": 1}
    assert not again.reopened


def test_a_request_that_was_never_stored_is_left(queue: Queue) -> None:
    """Asked by its address alone, a POST would come back as another page."""
    crawl = queue.crawl(closed=False)
    queue.put(crawl, "lost", "link")
    queue.put(crawl, "kept", "link", request='{"method":"POST"}')
    done = queue.requeue()
    assert (done.counts, done.unkept, done.reopened) == ({"link": 1}, 1, False)
    assert queue.rows()["lost"][0] == "error"
    assert any("cannot be stored" in line for line in done.lines("books"))


def test_a_crawl_too_old_to_be_resumed_is_told(queue: Queue) -> None:
    crawl = queue.crawl(closed=True)
    queue.put(crawl, "a", "network")
    with queue.database.write() as connection:
        connection.execute(update(crawls_table).values(started_at=crawls_table.c.started_at - 3_600_000_000))
    done = queue.requeue(within=timedelta(minutes=30))
    assert done.why_new_crawl is not None
    assert any("will be a new one" in line for line in done.lines("books"))


def test_a_site_without_a_crawl_has_nothing(queue: Queue) -> None:
    assert queue.requeue() == Requeued(None, {}, 0, False, None)


def test_the_reasons_are_the_closed_list() -> None:
    listed = "network gone deferred block proxy session robots scope link parse validate store lost killer"
    assert sorted(REASONS) == sorted(listed.split())
