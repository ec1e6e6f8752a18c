"""What a site card promises, held against what its crawl left."""

from pathlib import Path

import pytest

from scraper.monitor.promises import broken_promises, why_too_blocked, why_too_few, why_too_gone
from scraper.store.schema import open_database
from tests.export.shop import Branch, StoredShop, product, site


@pytest.mark.parametrize(
    ("records", "promised", "said"),
    [(950, 950, None), (0, 0, None), (1912, 2950, "records: 1,912, promised at least 2,950")],
)
def test_why_too_few(records: int, promised: int, said: str | None) -> None:
    assert why_too_few(records, promised) == said


@pytest.mark.parametrize(
    ("records", "before", "said"),
    [
        (0, 0, None),
        (80, 100, None),
        (120, 100, None),
        (10, 100, "records: 10, and 100 in an earlier crawl, promised at most 20% gone"),
    ],
)
def test_why_too_gone(records: int, before: int, said: str | None) -> None:
    assert why_too_gone(records, before, 0.2) == said


@pytest.mark.parametrize(
    ("blocked", "addresses", "most", "said"),
    [
        (0, 0, 0.0, None),
        (2, 100, 0.02, None),
        (3, 100, 0.02, "blocked: 3 of 100 addresses (3.0%), promised at most 2.0%"),
    ],
)
def test_why_too_blocked(blocked: int, addresses: int, most: float, said: str | None) -> None:
    assert why_too_blocked(blocked, addresses, most) == said


def test_what_this_crawl_saw_of_all_kinds_counts(fresh_sqlite: str, tmp_path: Path) -> None:
    database = open_database(fresh_sqlite)
    shop = StoredShop(database)
    old, new = shop.crawl(no=1), shop.crawl(no=2)
    shop.put(product("1"), crawl=new)
    shop.put(product("1", "2.00"), hour=3)  # the same record again
    shop.put(Branch(city="York"), crawl=new)
    shop.put(product("2"), crawl=old)  # lives on, but this crawl did not see it
    shop.url(old, 1, "error", "block")
    shop.url(new, 2, "error", "block")
    shop.url(new, 3, "error", "gone")
    shop.url(new, 4)
    with database.read() as connection:
        assert broken_promises(connection, site(records=2, most_blocked=0.34), shop.site_id, new) == []
        assert broken_promises(connection, site(records=3, most_blocked=0.33), shop.site_id, new) == [
            "records: 2, promised at least 3",
            "blocked: 1 of 3 addresses (33.3%), promised at most 33.0%",
        ]
    database.close()
