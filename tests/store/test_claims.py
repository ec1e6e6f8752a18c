"""Claims: each row once, in order, only for a live run of a site that is not paused."""

import threading

import pytest
from sqlalchemy import update

from scraper.store import runs, urls
from scraper.store.tables import sites
from scraper.store.tables import urls as table
from tests.store.scene import Scene, url_of, with_priority


@pytest.fixture
def scene(database_url: str) -> Scene:
    return Scene(database_url)


def test_higher_priority_first_then_in_order_of_discovery(scene: Scene) -> None:
    scene.put(url_of("a"), url_of("b"), url_of("c"))
    scene.put(with_priority(url_of("urgent"), 5), with_priority(url_of("later"), -5))
    names = [row.url.rpartition("/")[2] for row in scene.claim(2) + scene.claim(10)]
    assert names[0] == "urgent"
    assert names[-1] == "later"
    assert sorted(names[1:4]) == ["a", "b", "c"]


def test_two_runs_never_hold_the_same_row(scene: Scene) -> None:
    scene.put(*(url_of(f"p{number}") for number in range(400)))
    ids = [scene.run_id, scene.new_run(), scene.new_run(), scene.new_run()]
    held: dict[int, list[int]] = {run: [] for run in ids}

    def work(run_id: int) -> None:
        while rows := scene.claim(7, run_id=run_id):
            held[run_id] += [row.id for row in rows]

    threads = [threading.Thread(target=work, args=(run,)) for run in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = [number for rows in held.values() for number in rows]
    assert len(taken) == len(set(taken)) == 400


def test_a_lost_run_and_a_paused_site_get_nothing(scene: Scene) -> None:
    scene.put(url_of("a"))
    with scene.database.write() as connection:
        connection.execute(update(sites).values(paused_at=1))
    assert scene.claim() == []
    with scene.database.write() as connection:
        connection.execute(update(sites).values(paused_at=None))
        runs.end(scene.database, connection, scene.run_id, "failed", None, None)
    assert scene.claim() == []
    assert scene.row("a")["status"] == "pending"


def test_a_row_put_off_waits_for_its_time(scene: Scene) -> None:
    scene.put(url_of("a"), url_of("b"))
    with scene.database.write() as connection:
        later = scene.database.now(connection) + 3_600_000_000
        connection.execute(update(table).where(table.c.fp == url_of("a").fp).values(due=later))
    assert [row.url for row in scene.claim()] == ["https://shop.test/b"]
    with scene.database.read() as connection:
        left = urls.waiting(connection, scene.crawl.id, later - 1)
        past = urls.waiting(connection, scene.crawl.id, later)
    assert (left.leased, left.pending, left.later, left.next_due) == (1, 1, 1, later)
    assert (past.pending, past.later, past.next_due) == (1, 0, None)  # what nobody claims then is not waited for


def test_a_row_that_runs_died_with_is_claimed_alone_and_at_last_ends(scene: Scene) -> None:
    scene.put(url_of("innocent"), url_of("killer"))
    struck = table.c.fp == url_of("killer").fp
    with scene.database.write() as connection:
        connection.execute(update(table).where(struck).values(strikes=urls.SOLO_STRIKES))
    assert [row.url for row in scene.claim()] == ["https://shop.test/innocent"]
    assert [row.url for row in scene.claim(1, solo=True)] == ["https://shop.test/killer"]
    with scene.database.write() as connection:
        connection.execute(
            update(table).where(struck).values(strikes=urls.MOST_STRIKES, status="pending", claimed_by=None)
        )
        assert urls.end_killers(connection, scene.crawl.id) == 1
    row = scene.row("killer")
    assert (row["status"], row["stage"], row["reason_code"]) == ("error", "run", "killer")


def test_parts_of_the_work_are_claimed_by_page_type_or_by_lack_of_an_answer(scene: Scene) -> None:
    scene.put(url_of("list", "listing"), url_of("fetched"), url_of("unfetched"))
    with scene.database.write() as connection:
        connection.execute(
            update(table).where(table.c.fp == url_of("fetched").fp).values(fetched_crawl_id=scene.crawl.id)
        )
    assert [row.page_type for row in scene.claim(page_types=("listing",))] == ["listing"]
    assert [row.url for row in scene.claim(unfetched=True)] == ["https://shop.test/unfetched"]


def test_release_gives_back_only_what_the_run_holds(scene: Scene) -> None:
    scene.put(url_of("a"), url_of("b"))
    other = scene.new_run()
    scene.claim(1)
    scene.claim(1, run_id=other)
    with scene.database.write() as connection:
        assert urls.release(connection, scene.run_id, scene.crawl.id) == 1
    assert sorted((row["status"], row["claimed_by"]) for row in scene.rows(table)) == [
        ("in_progress", other),
        ("pending", None),
    ]
