"""The rule of known addresses, case by case (store.md, sections 2 and 2.1)."""

from datetime import timedelta

import pytest

from scraper.store.visit import CrawlRules, KnownUrl, seen_again, why_due

HOUR = 3_600_000_000
RULES = CrawlRules(
    site_id=1,
    crawl_id=7,
    started_at=100 * HOUR,
    fresh=False,
    refresh={"once": "never", "list": "every_crawl", "day": timedelta(hours=24)},
    versions={"once": "v1", "list": "v1", "day": "v1"},
)


def row(**changed: object) -> KnownUrl:
    known: dict[str, object] = {
        "id": 1,
        "fp": b"",
        "crawl_id": 6,
        "page_type": "once",
        "status": "parsed",
        "reason_code": None,
        "fetch_id": 1,
        "fetched_at": 90 * HOUR,
        "fetched_crawl_id": 6,
        "parser_version": "v1",
        "links_out": 0,
    }
    return KnownUrl(**{**known, **changed})


@pytest.mark.parametrize(
    ("page_type", "fetched_at", "crawl_id", "due"),
    [
        ("once", 1, 1, False),
        ("list", 99 * HOUR, 6, True),
        ("list", 99 * HOUR, 7, False),
        ("day", 76 * HOUR, 6, True),
        ("day", 76 * HOUR + 1, 6, False),
        ("day", 1, 7, False),
        ("unknown", 99 * HOUR, 6, True),
    ],
)
def test_due_is_counted_from_the_crawls_start(page_type: str, fetched_at: int, crawl_id: int, due: bool) -> None:
    assert bool(why_due(RULES, page_type, 1, fetched_at, crawl_id)) is due


def test_without_an_answer_everything_is_due() -> None:
    assert why_due(RULES, "once", None, None, None)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "fresh"),
        ({"page_type": "list"}, "visit"),
        ({"links_out": 3}, "visit"),
        ({"parser_version": "v0"}, "visit"),
        ({"status": "pending"}, "visit"),
        ({"status": "in_progress"}, "visit"),
        ({"status": "error", "reason_code": "network"}, "visit"),
        ({"status": "error", "reason_code": "block"}, "visit"),
        ({"status": "error", "reason_code": "lost"}, "visit"),
        ({"status": "error", "reason_code": "parse"}, "settled"),
        ({"status": "error", "reason_code": "parse", "parser_version": "v0"}, "visit"),
        ({"status": "error", "reason_code": "validate", "page_type": "list"}, "visit"),
        ({"status": "error", "reason_code": "robots", "fetch_id": None}, "settled"),
        ({"status": "error", "reason_code": "scope", "page_type": "list"}, "settled"),
        ({"status": "error", "reason_code": "killer", "parser_version": "v0"}, "settled"),
        ({"status": "error", "reason_code": "gone", "fetch_id": None}, "visit"),
    ],
)
def test_what_becomes_of_an_address_seen_again(changed: dict[str, object], expected: str) -> None:
    assert seen_again(RULES, row(**changed)) == expected
