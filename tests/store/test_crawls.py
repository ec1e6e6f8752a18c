"""Crawls: one open a site, seeded by one, closed only when nothing is left, with their figures."""

import json

import pytest
from sqlalchemy.exc import IntegrityError

from scraper.store import crawls, runs
from scraper.store.page_end import NewDrop, PageEnd
from scraper.store.tables import crawls as table
from tests.store.scene import Scene, url_of

FINDERS = crawls.Finders(only=("listing",), some=("listing", "mixed"))


@pytest.fixture
def scene(database_url: str) -> Scene:
    return Scene(database_url)


def close(scene: Scene) -> bool:
    with scene.database.write() as connection:
        return crawls.close_if_done(scene.database, connection, scene.crawl, FINDERS)


def seed(scene: Scene) -> None:
    with scene.database.write() as connection:
        assert crawls.take_seeding(connection, scene.crawl.id, scene.run_id)
        assert crawls.mark_seeded(scene.database, connection, scene.crawl.id, scene.run_id)


def test_the_schema_itself_allows_one_open_crawl_a_site(scene: Scene) -> None:
    with pytest.raises(IntegrityError), scene.database.write() as connection:
        crawls.open_new(scene.database, connection, scene.site_id, fresh=False, code="test")


def test_a_crawl_is_closed_when_it_is_seeded_and_nothing_is_left(scene: Scene) -> None:
    assert not close(scene)
    seed(scene)
    scene.put(url_of("a"))
    assert not close(scene)
    (row,) = scene.claim()
    assert not close(scene)
    scene.parsed(row)
    assert close(scene)
    assert close(scene)
    (found,) = scene.rows(table)
    assert (found["state"], found["open_key"]) == ("finished", None)
    assert json.loads(found["figures"])["status"]["parsed"] == 1


@pytest.mark.parametrize(
    ("page_type", "code", "state"),
    [
        ("listing", "network", "incomplete"),
        ("mixed", "parse", "incomplete"),
        ("book", "network", "finished"),
        ("listing", "gone", "finished"),
    ],
)
def test_what_a_broken_seed_would_have_shown_is_unknown(
    fresh_sqlite: str, page_type: str, code: str, state: str
) -> None:
    scene = Scene(fresh_sqlite)
    seed(scene)
    scene.put(url_of("seed", page_type))
    (row,) = scene.claim()
    scene.write(PageEnd(row.id, "failed", stage="fetch", reason_code=code, reason="refused"))
    assert close(scene)
    assert scene.rows(table)[0]["state"] == state


def test_one_broken_page_among_many_that_may_yield_links_is_no_hole(scene: Scene) -> None:
    seed(scene)
    scene.visit("list", "listing", links=(url_of("a", "mixed"),))
    (row,) = scene.claim()
    scene.write(PageEnd(row.id, "failed", stage="fetch", reason_code="network", reason="refused"))
    assert close(scene)
    assert scene.rows(table)[0]["state"] == "finished"


def test_a_dead_seeder_is_replaced_and_a_live_one_is_not(scene: Scene) -> None:
    other = scene.new_run()
    with scene.database.write() as connection:
        assert crawls.take_seeding(connection, scene.crawl.id, scene.run_id)
        assert not crawls.take_seeding(connection, scene.crawl.id, other)
        runs.end(scene.database, connection, scene.run_id, "failed", None, None)
        assert crawls.take_seeding(connection, scene.crawl.id, other)
        assert not crawls.mark_seeded(scene.database, connection, scene.crawl.id, scene.run_id)
        assert crawls.mark_seeded(scene.database, connection, scene.crawl.id, other)
        assert not crawls.take_seeding(connection, scene.crawl.id, other)


def test_the_books_balance_and_refused_fields_are_counted(scene: Scene) -> None:
    scene.put(url_of("a"), url_of("b"), url_of("c"), url_of("list", "listing"))
    rows = {row.url.rpartition("/")[2]: row for row in scene.claim(3)}
    names = sorted(rows)
    drops = (
        NewDrop("validate", "validate", "blank", field="price"),
        NewDrop("validate", "validate", "no", field="price"),
    )
    scene.parsed(rows[names[0]], drops=drops, stage="validate", reason_code="validate", reason="price: blank")
    scene.parsed(rows[names[1]])
    with scene.database.read() as connection:
        figures = crawls.crawl_figures(connection, scene.crawl.id)
    assert figures["discovered"] == sum(figures["status"].values()) == 4
    assert figures["status"] == {"parsed": 1, "fetched": 0, "error": 1, "pending": 1, "in_progress": 1}
    assert figures["reasons"] == {"validate": 1}
    assert {page["refused"].get("price", 0) for page in figures["pages"].values()} >= {1}
