"""The limit of requests per host holds, with and without a delay, and what waits is let go when a spider closes.

Counted at the server, on the asyncio reactor.
"""

from itertools import pairwise

import pytest

from tests.fetch.crawl import crawl
from tests.fetch.raw_server import RawServer, answer


def most_at_once(limit: int, **settings: object) -> int:
    with RawServer(lambda _: answer(b"<p>x</p></html>"), seconds=0.1) as server:
        urls = [f"{server.url}{number}" for number in range(12)]
        seen = crawl(*urls, CONCURRENT_REQUESTS=16, CONCURRENT_REQUESTS_PER_DOMAIN=limit, **settings)
        assert len(seen.pages) == 12
        assert seen.stats["downloader/request_count"] == 12
        return server.most_at_once


@pytest.mark.parametrize("limit", [1, 3])
def test_without_a_delay_the_limit_holds(limit: int) -> None:
    assert most_at_once(limit) == limit


def test_scrapy_still_needs_mending() -> None:
    """Red when Scrapy holds the limit by itself: then scraper/fetch/downloader.py may go."""
    assert most_at_once(1, DOWNLOADER="scrapy.core.downloader.Downloader") > 1


def test_a_delay_is_kept_at_the_server() -> None:
    """Case cr-07: an upgrade of Scrapy must not lose the delay silently."""
    with RawServer(lambda _: answer(b"<p>x</p></html>")) as server:
        urls = [f"{server.url}{number}" for number in range(6)]
        seen = crawl(*urls, DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=1 / 6)
        assert len(seen.pages) == 6
        gaps = [after - before for before, after in pairwise(server.times)]
        assert min(gaps) > 0.2, gaps  # 0.25 at the least, and a little for the clock at the server
        assert sum(gaps) > 1.2, gaps


def sent_before_it_closed(**settings: object) -> tuple[int, int]:
    """Of four requests a second apart, of a spider that closes after its first page: how many were sent; failed."""
    with RawServer(lambda _: answer(b"<p>x</p></html>")) as server:
        urls = [f"{server.url}{number}" for number in range(4)]
        seen = crawl(*urls, DOWNLOAD_DELAY=1, DOWNLOAD_DELAY_JITTER=0, CLOSESPIDER_PAGECOUNT=1, **settings)
        assert {name for name, _ in seen.failures.values()} <= {"Settled"}
        return len(server.times), len(seen.failures)


def test_what_waits_is_let_go_when_the_spider_closes() -> None:
    assert sent_before_it_closed() == (1, 3)


def test_scrapy_still_sends_all_of_it() -> None:
    """Red when Scrapy lets go by itself: then that half of scraper/fetch/downloader.py may go."""
    assert sent_before_it_closed(DOWNLOADER="scrapy.core.downloader.Downloader") == (4, 0)
