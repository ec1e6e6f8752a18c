"""Scoring does what is due and no more, and follows the enrichments it rests on."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

import spiders.books.enrich
import spiders.books.score
from scraper.enrich.stage import enrich_site
from scraper.rules.stage_report import StageReport
from scraper.score.scorecard import FactsByName, Score
from scraper.score.stage import score_site
from scraper.sites import load_site
from scraper.store.schema import open_database
from scraper.store.tables import FOREVER, enrichments, scores
from spiders.books.models import Book
from spiders.books.score import value
from tests.stored_books import StoredBooks, book

SITE = load_site("books")
FOUR = (
    book("a", "10.00"),
    book("b", "20.00"),
    book("c", "40.00"),
    book("x", "5.00", "Travel"),
)


@pytest.fixture
def shop(database_url: str) -> Iterator[StoredBooks]:
    database = open_database(database_url)
    yield StoredBooks(database)
    database.close()


def enrich(shop: StoredBooks) -> StageReport:
    return enrich_site(shop.database, SITE, shop.site_id)


def run(shop: StoredBooks) -> StageReport:
    return score_site(shop.database, SITE, shop.site_id)


def outcome(report: StageReport) -> tuple[int, int, int, int]:
    (one,) = report.passes
    return one.kept.made, one.kept.confirmed, one.current, one.failed


def reason(shop: StoredBooks, upc: str) -> str:
    return json.loads(shop.current(scores)[upc]["reasons"])[2]


def use(monkeypatch: pytest.MonkeyPatch, rule) -> None:
    (one,) = spiders.books.score.SCORECARDS
    monkeypatch.setattr(spiders.books.score, "SCORECARDS", (replace(one, score=rule),))


def no_opinion(record: Book, facts: FactsByName) -> Score:
    return Score(50.0, ("no opinion: +50",))


def the_same_in_other_words(record: Book, facts: FactsByName) -> Score:
    return value(record, facts)


def fails_for_the_dear(record: Book, facts: FactsByName) -> Score:
    if record.price > 30:
        raise LookupError("too dear")
    return value(record, facts)


def test_each_record_is_scored_and_a_second_pass_does_nothing(shop: StoredBooks) -> None:
    shop.put(*FOUR)
    enrich(shop)
    report = run(shop)
    assert report.lines() == ["books: 4 records, 4 scored by value, 0 up to date"]
    row = shop.current(scores)["a"]
    assert row["value"] == 75.0
    assert json.loads(row["reasons"]) == [
        "rating 4 of 5: +32",
        "3 in stock: +3",
        "price 10.00 is 10.00 below the category's median 20.00: +30",
        "has a description: +10",
    ]
    before = shop.rows(scores)
    assert run(shop).lines() == ["books: 4 records, 0 scored by value, 4 up to date"]
    assert shop.rows(scores) == before


def test_a_score_follows_its_enrichment(shop: StoredBooks) -> None:
    shop.put(*FOUR)
    enrich(shop)
    run(shop)
    before = shop.current(scores)
    shop.put(book("b", "30.00"))
    assert outcome(run(shop)) == (1, 0, 3, 0)  # the changed book, not enriched yet
    assert reason(shop, "b") == "the category's median price is not known yet: +0"
    enrich(shop)
    # b again, as its facts came; c with its new distance; a is at the highest points before and after, in other words
    assert outcome(run(shop)) == (3, 0, 1, 0)
    after = shop.current(scores)
    assert reason(shop, "a") == "price 10.00 is 20.00 below the category's median 30.00: +30"
    assert after["a"]["value"] == before["a"]["value"] == 75.0
    assert (before["c"]["value"], after["c"]["value"]) == (45.0, 50.0)
    assert after["x"] == before["x"]
    assert outcome(run(shop)) == (0, 0, 4, 0)
    closed = [row for row in shop.rows(scores) if row["valid_to"] != FOREVER]
    assert [row["valid_to"] for row in closed if row["upc"] == "c"] == [after["c"]["made_at"]]


def test_facts_that_came_out_equal_make_nothing_stale(shop: StoredBooks) -> None:
    shop.put(*FOUR)
    enrich(shop)
    run(shop)
    shop.put(book("y", "6.00", "Health"))
    (one,) = enrich(shop).passes
    assert (one.kept.made, one.kept.confirmed) == (1, 4)
    assert outcome(run(shop)) == (1, 0, 4, 0)


def test_facts_that_changed_and_a_score_that_did_not(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(*FOUR)
    enrich(shop)
    use(monkeypatch, no_opinion)
    run(shop)
    before = shop.current(scores)
    shop.put(book("d", "90.00"))
    enrich(shop)
    assert outcome(run(shop)) == (1, 3, 1, 0)
    after = shop.current(scores)
    assert {upc: after[upc]["id"] for upc in before} == {upc: row["id"] for upc, row in before.items()}
    newest = {row["version_id"]: row["id"] for row in shop.rows(enrichments) if row["valid_to"] == FOREVER}
    assert all(row["basis"] == newest[row["version_id"]] for row in after.values())


def test_a_changed_rule_runs_again(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(*FOUR)
    enrich(shop)
    run(shop)
    with monkeypatch.context() as edited:
        use(edited, the_same_in_other_words)
        assert outcome(run(shop)) == (0, 4, 0, 0)
    use(monkeypatch, no_opinion)
    assert outcome(run(shop)) == (0, 0, 4, 0)  # the same module, so the same version
    shop.put(book("a", "11.00"))
    assert outcome(run(shop)) == (1, 0, 3, 0)


def test_an_enricher_taken_away_changes_what_a_score_is_told(
    shop: StoredBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.put(*FOUR)
    use(monkeypatch, no_opinion)
    run(shop)
    monkeypatch.setattr(spiders.books.enrich, "ENRICHERS", ())
    assert outcome(run(shop)) == (0, 4, 0, 0)


def test_a_record_that_fails_is_named_and_stays_due_the_others_go_on(
    shop: StoredBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.put(*FOUR)
    enrich(shop)
    with monkeypatch.context() as edited:
        use(edited, fails_for_the_dear)
        report = run(shop)
    assert outcome(report) == (3, 0, 0, 1)
    assert report.lines()[1:] == ["  book c: LookupError: too dear"]
    assert outcome(run(shop)) == (1, 3, 0, 0)


def test_a_record_that_ended_is_not_scored(shop: StoredBooks) -> None:
    shop.put(*FOUR)
    shop.end("c")
    assert outcome(run(shop)) == (3, 0, 0, 0)


def test_facts_that_fit_their_model_no_more_are_named(shop: StoredBooks) -> None:
    shop.put(*FOUR)
    enrich(shop)
    with shop.database.write() as connection:
        connection.execute(enrichments.update().values(data='{"median":"1"}'))
    assert run(shop).passes[0].failures[0].reason == (
        "ModelMismatch: what is stored does not fit CategoryPrice any more: "
        "median: Extra inputs are not permitted (given '1'); run: scrapy enrich books"
    )


@pytest.mark.parametrize(("number", "reasons"), [(float("nan"), ("x",)), (float("inf"), ("x",)), (1.0, ())])
def test_a_score_is_a_number_with_reasons(number: float, reasons: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="a score"):
        Score(number, reasons)
