"""The publish gate, case by case."""

import pytest

from scraper.export.gate import why_held


@pytest.mark.parametrize(
    ("crawl", "broken", "records", "before", "reason"),
    [
        ("finished", [], 10, 10, None),
        ("finished", [], 0, 0, None),
        (None, [], 10, 0, "shop was never crawled"),
        ("open", [], 10, 0, "the newest crawl of shop is open, not finished"),
        ("abandoned", [], 10, 0, "the newest crawl of shop is abandoned, not finished"),
        ("incomplete", [], 10, 0, "the newest crawl of shop is incomplete, not finished"),
        ("finished", ["records: 1, promised at least 2"], 1, 0, "promise broken: records: 1, promised at least 2"),
        ("finished", [], 0, 1000, "empty: 0 records, 1,000 in the last published file"),
    ],
)
def test_why_held(crawl: str | None, broken: list[str], records: int, before: int, reason: str | None) -> None:
    assert why_held("shop", crawl, broken, records, before) == reason
