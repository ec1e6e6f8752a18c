"""Enriching does what is due and no more: new records, changed neighbours, changed rules; a failure stops itself."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

import spiders.books.enrich
from scraper.enrich.enricher import Facts
from scraper.enrich.lookup import Lookup
from scraper.enrich.stage import enrich_site
from scraper.errors import BrokenSite, ModelMismatch
from scraper.rules.stage_report import StageReport
from scraper.sites import load_site
from scraper.store.clock import to_micros
from scraper.store.schema import open_database
from scraper.store.tables import FOREVER, enrichments
from spiders.books.enrich import CategoryPrice, category_price
from spiders.books.models import Book
from tests.stored_books import StoredBooks, book

SITE = load_site("books")


@pytest.fixture
def shop(database_url: str) -> Iterator[StoredBooks]:
    database = open_database(database_url)
    yield StoredBooks(database)
    database.close()


def run(shop: StoredBooks) -> StageReport:
    return enrich_site(shop.database, SITE, shop.site_id)


def facts(shop: StoredBooks) -> dict[str, str]:
    return {upc: row["data"] for upc, row in shop.current(enrichments).items()}


def outcome(report: StageReport) -> tuple[int, int, int, int]:
    (one,) = report.passes
    return one.kept.made, one.kept.confirmed, one.current, one.failed


def use(monkeypatch: pytest.MonkeyPatch, rule) -> None:
    """The books' enricher with another rule, as if its file had been edited."""
    (one,) = spiders.books.enrich.ENRICHERS
    monkeypatch.setattr(spiders.books.enrich, "ENRICHERS", (replace(one, enrich=rule),))


def dearer_by_a_penny(record: Book, lookup: Lookup) -> CategoryPrice:
    found = category_price(record, lookup)
    return CategoryPrice(
        category_median_price=found.category_median_price + Decimal("0.01"), price_distance=found.price_distance
    )


def the_same_in_other_words(record: Book, lookup: Lookup) -> CategoryPrice:
    return category_price(record, lookup)


def fails_for_the_dear(record: Book, lookup: Lookup) -> CategoryPrice:
    if record.price > 50:
        raise ZeroDivisionError("too dear")
    return category_price(record, lookup)


def gives_something_else(record: Book, lookup: Lookup) -> Facts:
    return Facts()


def looks_where_it_may_not(record: Book, lookup: Lookup) -> CategoryPrice:
    return lookup("author")[0]


THREE = (book("a", "10.00"), book("b", "20.00"), book("c", "40.00"))


def test_each_record_is_enriched_and_a_second_pass_does_nothing(shop: StoredBooks) -> None:
    shop.put(*THREE, book("x", "5.00", "Travel"))
    report = run(shop)
    assert report.lines() == ["books: 4 records, 4 enriched by category_price, 0 up to date"]
    assert facts(shop) == {
        "a": '{"category_median_price":"20.00","price_distance":"-10.00"}',
        "b": '{"category_median_price":"20.00","price_distance":"0.00"}',
        "c": '{"category_median_price":"20.00","price_distance":"20.00"}',
        "x": '{"category_median_price":"5.00","price_distance":"0.00"}',
    }
    before = shop.rows(enrichments)
    again = run(shop)
    assert again.lines() == ["books: 4 records, 0 enriched by category_price, 4 up to date"]
    assert again.ok
    assert shop.rows(enrichments) == before


def test_a_changed_neighbour_makes_new_rows_in_its_category_alone(shop: StoredBooks) -> None:
    shop.put(*THREE, book("x", "5.00", "Travel"), book("y", "6.00", "Travel"))
    run(shop)
    before = {row["upc"]: row for row in shop.rows(enrichments)}
    shop.put(book("b", "30.00"))
    assert outcome(run(shop)) == (3, 2, 0, 0)
    after = shop.current(enrichments)
    assert after["a"]["data"] == '{"category_median_price":"30.00","price_distance":"-20.00"}'
    assert after["c"]["data"] == '{"category_median_price":"30.00","price_distance":"10.00"}'
    for upc in "xy":
        assert after[upc]["basis"] > before[upc]["basis"]
        assert after[upc] == {**before[upc], "basis": after[upc]["basis"]}
    old = {row["id"]: row for row in shop.rows(enrichments)}
    for upc in "ac":  # as of any moment there is one row, and never none
        closed = old[before[upc]["id"]]
        assert closed["valid_to"] == after[upc]["made_at"] > closed["made_at"]
    # The old version of the changed book keeps its facts, for exports of the time when it was current.
    assert old[before["b"]["id"]] == before["b"]
    assert after["b"]["version_id"] > before["b"]["version_id"]
    assert outcome(run(shop)) == (0, 0, 5, 0)


def test_a_neighbour_that_comes_or_goes_counts_too(shop: StoredBooks) -> None:
    shop.put(*THREE)
    run(shop)
    shop.end("c")
    assert outcome(run(shop)) == (2, 0, 0, 0)
    assert facts(shop)["a"] == '{"category_median_price":"15.00","price_distance":"-5.00"}'
    shop.put(book("d", "1.00"))
    assert outcome(run(shop)) == (3, 0, 0, 0)
    assert facts(shop)["a"] == '{"category_median_price":"10.00","price_distance":"0.00"}'


def test_a_changed_rule_runs_again(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(*THREE)
    run(shop)
    before = shop.current(enrichments)
    use(monkeypatch, the_same_in_other_words)
    assert outcome(run(shop)) == (0, 3, 0, 0)
    after = shop.current(enrichments)
    assert {row["rule_version"] for row in after.values()}.isdisjoint(row["rule_version"] for row in before.values())
    assert {row["id"] for row in after.values()} == {row["id"] for row in before.values()}
    use(monkeypatch, dearer_by_a_penny)
    # Same module, so the same version: as if nothing had been edited.
    assert outcome(run(shop)) == (0, 0, 3, 0)


def test_a_changed_rule_with_another_result_makes_new_rows(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(*THREE)
    run(shop)
    use(monkeypatch, dearer_by_a_penny)
    assert outcome(run(shop)) == (3, 0, 0, 0)
    assert facts(shop)["b"] == '{"category_median_price":"20.01","price_distance":"0.00"}'
    assert [row["valid_to"] == FOREVER for row in shop.rows(enrichments)] == [False] * 3 + [True] * 3


def test_a_record_that_fails_is_named_and_stays_due_the_others_go_on(
    shop: StoredBooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.put(*THREE, book("dear", "50.01"))
    with monkeypatch.context() as edited:
        use(edited, fails_for_the_dear)
        report = run(shop)
    assert outcome(report) == (3, 0, 0, 1)
    assert not report.ok
    assert report.lines()[1:] == ["  book dear: ZeroDivisionError: too dear"]
    assert report.trouble == "category_price failed for 1 of 4 records"
    assert report.figures["enrich/category_price/failed"] == 1
    assert set(facts(shop)) == {"a", "b", "c"}
    assert outcome(run(shop)) == (1, 3, 0, 0)


def test_many_failures_are_counted_and_the_first_named(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.fill(book(f"{number:04}", "51.00") for number in range(1, 1203))
    use(monkeypatch, fails_for_the_dear)
    lines = run(shop).lines()
    assert lines[0] == "books: 1,202 records, 0 enriched by category_price, 0 up to date, 1,202 failed"
    assert lines[1] == "  book 0001: ZeroDivisionError: too dear"
    assert lines[-1] == "  and 1,182 more"
    assert len(lines) == 22


def test_facts_of_another_model_are_refused(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(book("a", "1.00"))
    use(monkeypatch, gives_something_else)
    assert run(shop).passes[0].failures[0].reason == (
        "TypeError: category_price gave Facts; its output is CategoryPrice"
    )


def test_looking_beyond_the_scope_breaks_off(shop: StoredBooks, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.put(book("a", "1.00"))
    use(monkeypatch, looks_where_it_may_not)
    with pytest.raises(BrokenSite, match="it looks up 'author'; say so"):
        run(shop)
    assert shop.rows(enrichments) == []


def test_a_stored_record_that_fits_its_model_no_more_breaks_off(shop: StoredBooks) -> None:
    shop.put(*THREE)
    shop._version("b", '{"upc":"b"}')
    with pytest.raises(ModelMismatch, match=r"books: book b: .*title: Field required.*; run: scrapy reparse books"):
        run(shop)


def test_what_another_process_found_on_a_newer_basis_stays(shop: StoredBooks) -> None:
    """Two passes at once: the one that began earlier must not undo the one that saw more."""
    shop.put(*THREE)
    late = enrichments.update().values(basis=10**9)
    asked = []

    def meanwhile(name: str, done: int, due: int) -> None:
        asked.append((name, done, due))

    run(shop)
    with shop.database.write() as connection:
        connection.execute(late)
    shop.put(book("b", "30.00"))
    report = enrich_site(shop.database, SITE, shop.site_id, meanwhile)
    assert outcome(report) == (1, 0, 2, 0)
    assert asked == [("category_price", 1, 1)]


def test_a_clock_that_stands_still_leaves_no_row_that_was_never_valid(shop: StoredBooks) -> None:
    shop.put(*THREE)
    run(shop)
    future = to_micros(datetime(2100, 1, 1, tzinfo=UTC))
    with shop.database.write() as connection:
        connection.execute(enrichments.update().values(made_at=future))
    shop.put(book("b", "30.00"))
    run(shop)
    rows = [row for row in shop.rows(enrichments) if row["upc"] == "a"]
    assert [(row["made_at"], row["valid_to"]) for row in rows] == [(future, future + 1), (future + 1, FOREVER)]
