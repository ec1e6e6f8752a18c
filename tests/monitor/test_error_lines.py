"""Each reason of an error has its own remedy."""

import pytest

from scraper.monitor.error_lines import error_lines
from scraper.store.requeue import REASONS


@pytest.mark.parametrize(
    ("reasons", "lines"),
    [
        ({}, []),
        (
            {"validate": 1200, "parse": 1},
            ["errors: 1 parse, 1,200 validate; mend the parser, then type: scrapy reparse shop --errors"],
        ),
        (
            {"network": 2, "lost": 1},
            ["errors: 1 lost, 2 network; the next crawl tries them again; sooner: scrapy requeue shop --reason CODE"],
        ),
        (
            {"robots": 1, "store": 1},
            [
                "errors: 1 store; mend the parser, then type: scrapy reparse shop --errors",
                "errors: 1 robots; they stay so until they are put back: scrapy requeue shop --reason robots",
            ],
        ),
    ],
)
def test_what_to_do(reasons: dict[str, int], lines: list[str]) -> None:
    assert list(error_lines("shop", reasons)) == lines


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_has_one(code: str) -> None:
    assert len(list(error_lines("shop", {code: 1}))) == 1
