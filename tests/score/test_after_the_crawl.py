"""Both stages as an operator runs them on a thousand books: killed, started again, computed again elsewhere."""

import json
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from scraper.enrich.stage import enrich_site
from scraper.score.stage import score_site
from scraper.sites import load_site
from scraper.store.canonical import canonical
from scraper.store.schema import open_database
from scraper.store.tables import enrichments, runs, scores
from tests.command_line import Project
from tests.recompute_books import recompute
from tests.stored_books import StoredBooks, true_books


def filled(url: str, shared: Path) -> StoredBooks:
    shop = StoredBooks(open_database(url))
    shop.fill(true_books(shared))
    return shop


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> dict[str, object]:
    """What both stages come to when nobody kills them."""
    folder = tmp_path_factory.mktemp("undisturbed")
    project = Project(folder, f"sqlite:///{folder / 'scraper.sqlite'}")
    shop = filled(project.database_url, shared)
    for stage in ("enrich", "score"):
        assert project.scrapy(stage, "books").code == 0
    found = shop.contents()
    shop.database.close()
    return found


def test_the_lines_a_person_reads(project: Project, shared: Path) -> None:
    filled(project.database_url, shared).database.close()
    first = project.scrapy("enrich", "books")
    assert (first.code, first.out) == (0, "books: 1,000 records, 1,000 enriched by category_price, 0 up to date\n"), (
        first
    )
    again = project.scrapy("enrich", "books")
    assert again.out == "books: 1,000 records, 0 enriched by category_price, 1,000 up to date\n"
    scored = project.scrapy("score", "books")
    assert (scored.code, scored.out) == (0, "books: 1,000 records, 1,000 scored by value, 0 up to date\n"), scored
    assert "Traceback" not in first.err + again.err + scored.err


def test_an_empty_database_and_a_record_that_fails(project: Project) -> None:
    empty = project.scrapy("enrich", "books")
    assert (empty.code, empty.out) == (0, "books: 0 records, 0 enriched by category_price, 0 up to date\n"), empty
    shop = StoredBooks(open_database(project.database_url))
    shop._version("bad", canonical({"upc": "bad"}))
    failed = project.scrapy("score", "books")
    assert failed.code == 1
    assert failed.out.startswith(
        "books: 1 records, 0 scored by value, 0 up to date, 1 failed\n  book bad: ModelMismatch:"
    )
    broken = project.scrapy("enrich", "books")
    assert broken.code == 1
    assert broken.err.count("\n") == 1
    assert "run: scrapy reparse books" in broken.err
    with shop.database.read() as connection:
        ended = connection.execute(select(runs.c.stage, runs.c.outcome, runs.c.reason, runs.c.figures)).all()
    assert [tuple(row)[:2] for row in ended] == [("enrich", "finished"), ("score", "failed"), ("enrich", "failed")]
    assert ended[1].reason == "value failed for 1 of 1 records"
    assert json.loads(ended[1].figures)["score/value/failed"] == 1
    shop.database.close()


@pytest.mark.parametrize("stage", ["enrich", "score"])
@pytest.mark.parametrize(("cut", "done"), [("batch", 0), ("between", 500)])
def test_killed_and_started_again_it_comes_to_the_same(
    project: Project, shared: Path, undisturbed: dict[str, object], stage: str, cut: str, done: int
) -> None:
    shop = filled(project.database_url, shared)
    if stage == "score":
        assert project.scrapy("enrich", "books").code == 0
    killed = project.scrapy(stage, "books", env={"SCRAPER_CUT_POINT": f"{stage}:{cut}"})
    assert killed.code == -signal.SIGKILL, killed
    assert len(shop.rows({"enrich": enrichments, "score": scores}[stage])) == done
    again = project.scrapy(stage, "books")
    assert again.code == 0, again
    assert f"{1000 - done:,} {stage}" in again.out
    if stage == "enrich":
        assert project.scrapy("score", "books").code == 0
    assert shop.contents() == undisturbed
    shop.database.close()


def test_all_is_computed_again_by_another_program(undisturbed: dict[str, object], shared: Path) -> None:
    rows = [json.loads(canonical(one.model_dump(mode="python"))) for one in true_books(shared)]
    again = recompute(rows)
    assert len(again) == len(undisturbed["enrichments"]) == len(undisturbed["scores"]) == 1000
    for upc, added in again.items():
        _, data = undisturbed["enrichments"][upc]
        _, number, reasons = undisturbed["scores"][upc]
        assert json.loads(data) == {
            "category_median_price": str(added.category_median_price),
            "price_distance": str(added.price_distance),
        }
        assert number == float(added.value)
        assert tuple(json.loads(reasons)) == added.reasons


def test_a_thousand_books_take_seconds(fresh_sqlite: str, shared: Path) -> None:
    shop = filled(fresh_sqlite, shared)
    started = time.monotonic()
    enrich_site(shop.database, load_site("books"), shop.site_id)
    score_site(shop.database, load_site("books"), shop.site_id)
    assert time.monotonic() - started < 10
    shop.database.close()


def test_on_the_other_engine_it_comes_to_the_same(
    fresh_mariadb: str, shared: Path, undisturbed: dict[str, object], tmp_path: Path
) -> None:
    shop, project = filled(fresh_mariadb, shared), Project(tmp_path, fresh_mariadb)
    for stage in ("enrich", "score"):
        assert project.scrapy(stage, "books").code == 0
    assert shop.contents() == undisturbed
    shop.database.close()
