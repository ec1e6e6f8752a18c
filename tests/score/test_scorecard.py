"""Scorecards are found by name and fit their site."""

from pathlib import Path

import pytest

from scraper.errors import BrokenSite
from scraper.score.scorecards import rule_version, scorecards_of
from scraper.score.stage import score_site
from scraper.sites import load_site
from scraper.store.schema import open_database
from tests.site_folder import site_folder

SCORE = """
from scraper.score.scorecard import Score, Scorecard

def worth(good, facts):
    return Score(1.0, ("it is there: +1",))

SCORECARDS = (Scorecard(name="worth", kind="good", score=worth),)
"""


def test_they_are_found_by_name(tmp_path: Path) -> None:
    with site_folder(tmp_path, "scored_shop", {"score.py": SCORE}) as write:
        (one,) = scorecards_of(load_site("scored_shop"))
        assert (one.name, one.kind) == ("worth", "good")
        told = rule_version(one, ("a", "b"))
        assert told == rule_version(one, ("b", "a")) != rule_version(one, ("a",))
        write("score.py", SCORE.replace("1.0", "2.0"))
        (one,) = scorecards_of(load_site("scored_shop"))
        assert rule_version(one, ("a", "b")) != told


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("SCORECARDS = [1]", r"scored_shop/score.py: it must set SCORECARDS = \(Scorecard"),
        (SCORE.replace('kind="good"', 'kind="god"'), "worth names kind 'god'; the parsers of scored_shop yield good"),
        ("import nothing_of_that_name", "scored_shop/score.py, line 1: ModuleNotFoundError"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, content: str, reason: str) -> None:
    with site_folder(tmp_path, "scored_shop", {"score.py": content}), pytest.raises(BrokenSite, match=reason):
        scorecards_of(load_site("scored_shop"))


def test_a_site_needs_none(tmp_path: Path, fresh_sqlite: str) -> None:
    database = open_database(fresh_sqlite)
    with site_folder(tmp_path, "plain_shop", {}):
        report = score_site(database, load_site("plain_shop"), 1)
    assert report.ok
    assert report.lines() == ["plain_shop: no scorecards; they would stand in spiders/plain_shop/score.py"]
    database.close()
