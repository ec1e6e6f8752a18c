"""Requests as text: what comes back is what was put in, or it is refused loudly."""

import io
from typing import Any

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import JsonRequest

from scraper.queue.new_url import new_url
from scraper.queue.request_text import dump, load


class Shop(Spider):
    name = "shop"

    def parse(self, response: Any) -> None:
        """The default."""

    def parse_item(self, response: Any) -> None:
        """Another callback."""

    def failed(self, failure: Any) -> None:
        """An errback."""


SPIDER = Shop()
URL = "https://a.test/"


def test_a_plain_get_needs_no_text() -> None:
    request = Request(
        "https://a.test/", callback=SPIDER.parse, meta={"page_type": "x", "context": {"a": 1}, "depth": 3}
    )
    assert dump(request, SPIDER, "parse") is None


@pytest.mark.parametrize(
    "request_",
    [
        Request(URL, callback=SPIDER.parse_item, errback=SPIDER.failed, cb_kwargs={"a": [1, {"b": None}]}),
        Request(URL, method="PUT", body="ü".encode(), headers={"X": ["1", "2"], b"\xc4": b"\xff"}),
        Request("https://a.test/", cookies={"a": "1"}, meta={"proxy": "p", "n": 1.5}, flags=["f"], encoding="latin-1"),
        FormRequest("https://a.test/", formdata={"q": "ä", "n": "1"}),
        JsonRequest("https://a.test/", data={"q": [1, 2]}),
    ],
)
def test_what_comes_back_is_what_was_put_in(request_: Request) -> None:
    text = dump(request_, SPIDER, "parse")
    again = load(text, request_.url, SPIDER, "parse")
    assert type(again) is type(request_)
    for name in ("method", "body", "headers", "cookies", "meta", "cb_kwargs", "flags", "encoding", "errback"):
        assert getattr(again, name) == getattr(request_, name), name
    assert again.callback == (request_.callback or SPIDER.parse)
    assert dump(again, SPIDER, "parse") == text


@pytest.mark.parametrize(
    "request_",
    [
        Request("https://a.test/", callback=lambda response: None),
        Request("https://a.test/", meta={"pair": (1, 2)}),
        Request("https://a.test/", meta={"file": io.StringIO()}),
        Request("https://a.test/", meta={"n": float("nan")}),
        Request("https://a.test/", cb_kwargs={"map": {1: "a"}}),
    ],
)
def test_what_would_come_back_changed_is_refused_with_its_reason(request_: Request) -> None:
    with pytest.raises(ValueError, match=r"queue cannot keep|JSON cannot carry|come back changed"):
        dump(request_, SPIDER, "parse")
    put = new_url(request_, SPIDER, {})
    assert put.refusal is not None
    assert put.refusal.startswith("GET https://a.test/: ")


def test_a_referer_that_is_the_parent_is_not_written_out() -> None:
    request = Request(URL, headers={"Referer": "https://a.test/list", "X": "1"})
    text = dump(request, SPIDER, "parse", parent_url="https://a.test/list")
    assert text is not None
    assert "https" not in text
    assert load(text, URL, SPIDER, "parse", "https://a.test/list").headers == request.headers
    other = dump(request, SPIDER, "parse", parent_url="https://a.test/other")
    assert load(other, URL, SPIDER, "parse", "https://a.test/other").headers == request.headers
