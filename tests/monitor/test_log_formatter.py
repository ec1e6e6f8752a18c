"""The log's lines: one each, with place and reason, and nothing of the page or the record."""

import logging

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import DropItem
from scrapy.http import Response
from scrapy.utils.log import logformatter_adapter
from scrapy.utils.test import get_crawler

from scraper.models import Page, Record, Refused, parsing
from scraper.monitor.log_formatter import LogFormatter

URL = "https://shop.example/1"
LONG = "x" * 5000


class Chair(Record):
    """A record of these tests."""

    key = ("number",)
    number: int
    words: str


@pytest.fixture
def spider() -> Spider:
    class Shop(Spider):
        name = "shop"

    return Shop.from_crawler(get_crawler(Shop))


def written(line) -> tuple[int, str]:
    """What `logging` makes of a formatter's answer."""
    level, message, *args = logformatter_adapter(line)
    return level, logging.LogRecord("", level, "", 0, message, tuple(args), None).getMessage()


def refused() -> Refused:
    with parsing(Page(URL, b"")):
        value = Chair(number="1.234", words=LONG)
    assert isinstance(value, Refused)
    return value


def test_a_refused_record_says_field_and_reason(spider: Spider) -> None:
    line = LogFormatter().dropped(refused(), DropItem("refused"), Response(URL), spider)
    level, text = written(line)
    assert level == logging.WARNING
    assert text.startswith(f"shop: chair dropped from {URL}: number: ")
    assert "1.234" in text
    assert LONG not in text


def test_a_drop_keeps_the_level_it_asks_for(spider: Spider) -> None:
    line = LogFormatter().dropped({"a": LONG}, DropItem("known\nalready", log_level="DEBUG"), None, spider)
    assert written(line) == (logging.DEBUG, "shop: dict dropped from no answer: known already")


def test_an_error_of_a_pipeline_says_what_it_was(spider: Spider) -> None:
    chair = Chair(number=1, words=LONG)
    level, text = written(LogFormatter().item_error(chair, ValueError(f"bad % {LONG}"), Response(URL), spider))
    assert level == logging.ERROR
    assert text.startswith(f"shop: chair failed from {URL}: ValueError: bad % xxx")
    assert len(text) < 600


def test_a_good_record_and_a_page_are_for_debugging(spider: Spider) -> None:
    formatter, chair = LogFormatter(), Chair(number=1, words=LONG)
    assert written(formatter.scraped(chair, Response(URL), spider)) == (
        logging.DEBUG,
        f"shop: chair scraped from {URL}",
    )
    level, text = written(formatter.crawled(Request(URL), Response(URL), spider))
    assert (level, text) == (logging.DEBUG, f"Crawled (200) <GET {URL}> (referer: None)")
