"""Rows as a claim gives them, for tests of what is done with them."""

from typing import Any

from scraper.store.urls import Claimed


def claimed(**changed: Any) -> Claimed:
    """A claimed row of a page that was never fetched."""
    plain: dict[str, Any] = {
        "id": 1,
        "url": "https://shop.test/a",
        "page_type": "book",
        "host_id": 1,
        "request": None,
        "context": None,
        "depth": 0,
        "generation": 0,
        "parent_url": None,
        "due": 0,
        "attempts": 0,
        "strikes": 0,
        "fetch_id": None,
        "fetched_at": None,
        "fetched_crawl_id": None,
        "body_hash": None,
        "parsed_hash": None,
        "parser_version": None,
    }
    return Claimed(**{**plain, **changed})
