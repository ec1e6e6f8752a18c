"""Units of work: records, links and a page's status together or not at all; who owns a record; what is seen again."""

import pytest
from sqlalchemy import select, update

from scraper.store import runs
from scraper.store.page_end import NewDrop, PageEnd
from scraper.store.tables import drops, fetches, links, records, versions, yields
from scraper.store.tables import urls as table
from scraper.store.unit_of_work import Work, commit
from tests.store.scene import Scene, record_of, url_of

NO_TITLE = NewDrop("parse", "parse", "no title")


@pytest.fixture
def scene(database_url: str) -> Scene:
    return Scene(database_url)


def test_links_records_and_status_come_together(scene: Scene) -> None:
    written = scene.visit("list", "listing", links=(url_of("a"), url_of("b"), url_of("a")), records=(record_of("k"),))
    assert written is not None
    assert written.links_new == 2
    row = scene.row("list")
    assert (row["status"], row["claimed_by"], row["links_out"], row["reason"]) == ("parsed", None, 2, None)
    assert len(scene.rows(links)) == 2
    assert [one["owner_url_id"] for one in scene.rows(records)] == [row["id"]]
    (version,) = scene.rows(versions)
    assert (version["no"], version["cause"], version["fetch_id"]) == (1, "new", row["fetch_id"])
    assert scene.row("a")["discovered_from"] == row["id"]
    assert scene.row("a")["depth"] == 0


def test_nothing_is_written_without_the_claim(scene: Scene) -> None:
    scene.put(url_of("a"))
    (row,) = scene.claim()
    entered = scene.fetch(row)
    assert entered is not None
    source = {"fetch_id": entered.fetch_id, "body_hash": b"h" * 32, "parser_version": "v"}
    end = PageEnd(row.id, "parsed", (url_of("b"),), (record_of("k"),), **source)
    other = scene.new_run()
    assert scene.write(end, run_id=other) == [None]
    with scene.database.write() as connection:
        (me,) = [run for run in runs.live_runs(connection) if run.id == scene.run_id]
        assert runs.declare_lost(scene.database, connection, me, "test")
    assert scene.write(end) == [None]
    assert scene.fetch(row) is None
    assert scene.rows(records) == scene.rows(links) == []
    assert len(scene.rows(table)) == 1


def test_a_recovered_row_is_pending_with_a_strike_and_its_answer(scene: Scene) -> None:
    scene.put(url_of("a"), url_of("b"))
    first, _ = scene.claim()
    scene.fetch(first)
    with scene.database.write() as connection:
        (me,) = runs.live_runs(connection)
        runs.declare_lost(scene.database, connection, me, "test")
        assert runs.free_orphans(connection) == 2
    row = next(one for one in scene.rows(table) if one["id"] == first.id)
    assert (row["status"], row["claimed_by"], row["strikes"]) == ("pending", None, 1)
    assert row["fetched_crawl_id"] == scene.crawl.id


def test_the_same_data_is_no_new_version_and_other_data_is(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    scene.new_crawl()
    scene.versions["book"] = "book-2"
    scene.visit("a", body=b"other", records=(record_of("k", price="1"),))
    assert len(scene.rows(versions)) == 1
    assert scene.rows(records)[0]["last_crawl_id"] == scene.crawl.id
    scene.new_crawl()
    scene.versions["book"] = "book-3"
    scene.visit("a", body=b"third", records=(record_of("k", price="2"),))
    old, new = scene.rows(versions)
    assert (old["valid_to"], old["no"]) == (new["valid_from"], 1)
    assert (new["no"], new["cause"]) == (2, "changed")
    assert scene.rows(records)[0]["version_id"] == new["id"]


def test_a_version_from_the_same_body_is_ours_not_the_sites(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    scene.new_crawl()
    scene.versions["book"] = "book-2"
    scene.visit("a", records=(record_of("k", price="9"),))
    assert [one["cause"] for one in scene.rows(versions)] == ["new", "reparsed"]


def test_two_pages_that_disagree_about_a_record_make_a_conflict_not_a_flip(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    written = scene.visit("b", records=(record_of("k", price="2"),))
    assert written is not None
    assert written.conflicts == 1
    assert len(scene.rows(versions)) == 1
    assert len(scene.rows(yields)) == 2
    assert [(one["code"], one["cleared_at"]) for one in scene.rows(drops)] == [("conflict", None)]
    assert scene.row("b")["status"] == "parsed"


def test_a_page_takes_over_a_record_its_owner_does_not_give_any_more(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    scene.new_crawl()
    scene.visit("b", body=b"of b", records=(record_of("k", price="2"),))
    assert [one["owner_url_id"] for one in scene.rows(records)] == [scene.row("b")["id"]]
    assert [one["cause"] for one in scene.rows(versions)] == ["new", "changed"]


def test_one_page_with_two_opinions_of_a_record(scene: Scene) -> None:
    written = scene.visit(
        "a", records=(record_of("k", price="1"), record_of("k", price="2"), record_of("k", price="1"))
    )
    assert written is not None
    assert written.conflicts == 1
    assert len(scene.rows(versions)) == 1


def test_refused_records_make_the_page_an_error_and_keep_its_neighbours(scene: Scene) -> None:
    drop = NewDrop("validate", "validate", "blank", kind="book", field="price")
    scene.visit(
        "a", records=(record_of("k"),), drops=(drop,), stage="validate", reason_code="validate", reason="price: blank"
    )
    row = scene.row("a")
    assert (row["status"], row["stage"], row["reason_code"], row["parsed_hash"]) == (
        "error",
        "validate",
        "validate",
        None,
    )
    assert len(scene.rows(records)) == 1
    assert [(one["field"], one["cleared_at"]) for one in scene.rows(drops)] == [("price", None)]
    scene.new_crawl()
    scene.versions["book"] = "book-2"
    scene.visit("a", records=(record_of("k"),))
    assert scene.row("a")["status"] == "parsed"
    assert scene.rows(drops)[0]["cleared_at"] is not None


def test_a_parser_that_raised_leaves_what_was_kept(scene: Scene) -> None:
    scene.visit("a", links=(url_of("b"),), records=(record_of("k"),))
    scene.new_crawl()
    scene.versions["book"] = "book-2"
    scene.put(url_of("a"))
    (row,) = scene.claim()
    scene.fetch(row)
    scene.write(
        PageEnd(
            row.id,
            "failed",
            drops=(NO_TITLE,),
            stage="parse",
            reason_code="parse",
            parser_version="book-2",
        )
    )
    assert scene.row("a")["status"] == "error"
    assert len(scene.rows(links)) == len(scene.rows(yields)) == len(scene.rows(versions)) == 1


def test_a_kept_listing_brings_its_stored_links_into_the_crawl(scene: Scene) -> None:
    scene.visit("list", "listing", links=(url_of("fresh"), url_of("unread")))
    by_name = {row.url.rpartition("/")[2]: row for row in scene.claim()}
    scene.parsed(by_name["fresh"], records=(record_of("k"),))
    scene.write(PageEnd(by_name["unread"].id, "put_back"))
    scene.new_crawl()
    scene.put(url_of("list", "listing"))
    (row,) = scene.claim()
    scene.write(PageEnd(row.id, "kept"))
    assert scene.row("list")["status"] == "parsed"
    assert (scene.row("fresh")["status"], scene.row("fresh")["crawl_id"]) == ("parsed", scene.crawl.id)
    assert (scene.row("unread")["status"], scene.row("unread")["crawl_id"]) == ("pending", scene.crawl.id)
    assert scene.rows(records)[0]["last_crawl_id"] == scene.crawl.id


def test_the_first_page_type_of_an_address_wins_and_says_so(scene: Scene) -> None:
    scene.visit("list", "listing", links=(url_of("a", "book"), url_of("a", "listing")))
    assert scene.row("a")["page_type"] == "book"
    assert [one["code"] for one in scene.rows(drops)] == ["page_type"]


def test_links_that_went_away_go(scene: Scene) -> None:
    scene.visit("list", "listing", links=(url_of("a"), url_of("b")))
    scene.new_crawl()
    scene.visit("list", "listing", body=b"new", links=(url_of("b"), url_of("c")))
    targets = {one["to_id"] for one in scene.rows(links)}
    assert targets == {scene.row("b")["id"], scene.row("c")["id"]}


def test_a_redirects_target_is_settled_with_the_page(scene: Scene) -> None:
    scene.put(url_of("listed-too"))
    scene.visit("old", records=(record_of("k"),), final=url_of("new"))
    row, alias = scene.row("old"), scene.row("new")
    assert (alias["status"], alias["fetch_id"], alias["parser_version"]) == ("parsed", row["fetch_id"], "book-1")
    assert row["final_url"] == "https://shop.test/new"
    assert len(scene.rows(yields)) == 2


def test_put_back_counts_the_attempt_and_waits(scene: Scene) -> None:
    scene.put(url_of("a"))
    (row,) = scene.claim()
    scene.write(PageEnd(row.id, "put_back", wait=3_600_000_000, attempt=True))
    after = scene.row("a")
    assert (after["status"], after["attempts"], after["claimed_by"]) == ("pending", 1, None)
    assert scene.claim() == []


def test_an_answer_that_is_not_the_page_leaves_the_kept_one(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k"),))
    kept = scene.row("a")["fetch_id"]
    scene.new_crawl(fresh=True)
    scene.put(url_of("a"))
    (row,) = scene.claim()
    from scraper.store.fetches import NewFetch, enter

    gone = NewFetch(row.id, scene.crawl.id, scene.run_id, 404, "{}", None, 0, 0, None, "plain", 0.1)
    assert enter(scene.database, [gone])[0] is not None
    scene.write(PageEnd(row.id, "failed", stage="fetch", reason_code="gone", reason="HTTP 404"))
    after = scene.row("a")
    assert (after["status"], after["reason_code"], after["fetch_id"]) == ("error", "gone", kept)
    assert len(scene.rows(fetches)) == 2


def test_a_reparse_writes_only_what_is_still_at_the_answer_it_read(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    row = scene.row("a")
    work = Work(scene.rules, scene.run_id, "test", claimed=False)
    end = PageEnd(
        row["id"],
        "parsed",
        links=None,
        records=(record_of("k", price="2"),),
        fetch_id=row["fetch_id"],
        body_hash=row["parsed_hash"],
        parser_version="book-2",
    )
    with scene.database.write() as connection:
        connection.execute(update(table).where(table.c.id == row["id"]).values(fetch_id=999))
    assert commit(scene.database, work, [end]) == [None]
    with scene.database.write() as connection:
        connection.execute(update(table).where(table.c.id == row["id"]).values(fetch_id=row["fetch_id"]))
    assert commit(scene.database, work, [end]) != [None]
    with scene.database.read() as connection:
        assert connection.execute(select(versions.c.cause).order_by(versions.c.no)).scalars().all() == [
            "new",
            "reparsed",
        ]


def test_an_answer_entered_twice_is_one_fetch(scene: Scene) -> None:
    """A connection lost while it committed: the whole transaction is repeated."""
    scene.put(url_of("a"))
    (row,) = scene.claim()
    first = scene.fetch(row)
    assert scene.fetch(row) == first
    assert len(scene.rows(fetches)) == 1


def test_a_page_type_renamed_in_the_card_is_no_conflict(scene: Scene) -> None:
    scene.visit("list", "listing", links=(url_of("a", "book"),))
    scene.new_crawl()
    scene.visit("list", "listing", body=b"again", links=(url_of("a", "listing"),))
    assert scene.row("a")["page_type"] == "listing"
    assert scene.rows(drops) == []


def test_a_reparse_of_a_crawl_that_is_not_the_newest_any_more_writes_nothing(scene: Scene) -> None:
    scene.visit("a", records=(record_of("k", price="1"),))
    row, old = scene.row("a"), Work(scene.rules, scene.run_id, "test", claimed=False)
    scene.new_crawl()
    source = {"fetch_id": row["fetch_id"], "body_hash": row["parsed_hash"], "parser_version": "book-2"}
    end = PageEnd(row["id"], "parsed", (url_of("new"),), (record_of("k", price="2"),), **source)
    assert commit(scene.database, old, [end]) == [None]
    assert len(scene.rows(versions)) == 1
