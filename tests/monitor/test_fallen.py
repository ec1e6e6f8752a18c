"""Fields that pages no longer give: named with how many gave them, and how many did."""

from typing import Any

from scraper.monitor.fallen import fallen


def crawl(parsed: int, errors: int = 0, network: int = 0, **refused: int) -> dict[str, Any]:
    page = {
        "discovered": parsed + errors + network,
        "status": {"parsed": parsed, "error": errors + network},
        "reasons": {"parse": errors, "network": network},
        "refused": refused,
    }
    return {"pages": {"book": page}}


def lines(figures: dict[str, Any], *before: dict[str, Any]) -> list[str]:
    return [one.line("books") for one in fallen(figures, before)]


def test_a_broken_selector_is_one_sentence_with_what_was() -> None:
    assert lines(crawl(0, errors=1000, price=1000), crawl(1000)) == ["books/book: price 0 of 1,000 (was 1,000)"]


def test_the_night_after_a_broken_one_still_knows_what_was() -> None:
    broken = crawl(0, errors=1000, price=1000)
    assert lines(broken, broken, crawl(1000)) == ["books/book: price 0 of 1,000 (was 1,000)"]


def test_a_first_crawl_has_nothing_to_compare_with() -> None:
    assert lines(crawl(9, errors=1, title=1)) == ["books/book: title 9 of 10"]


def test_pages_that_never_came_are_not_the_parsers_fault() -> None:
    assert lines(crawl(9, errors=1, network=90, title=1)) == ["books/book: title 9 of 10"]


def test_the_worst_field_comes_first_and_a_healthy_crawl_says_nothing() -> None:
    assert lines(crawl(5, errors=5, title=1, price=5))[0].startswith("books/book: price 5 of 10")
    assert lines(crawl(1000), crawl(1000)) == []
