"""The spider middleware that keeps a spider's requests in a table instead of in memory.

`process_start` stores what the spider's own `start()` yields, then feeds claimed rows to the engine. Requests that a
callback yields go into the page's unit of work; records run through the item pipelines and come home by signal. When a
page's output has ended and no item of it is under way, the page is written: records, links and its status, together.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.http import Response
from twisted.python.failure import Failure as Trouble

from scraper.errors import ScraperError
from scraper.models import Record
from scraper.queue.drops import item_drops, parse_drops
from scraper.queue.errback import Errback
from scraper.queue.failure import Failure, failed_parse
from scraper.queue.in_flight import InFlight
from scraper.queue.request_text import PAGE
from scraper.queue.worker import Worker, was_handed_over

log = logging.getLogger(__name__)


class QueueMiddleware:
    """Feeds the spider from the table, and the table from the spider. The work is the worker's; here are the hooks."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.worker: Worker | None = None
        # One page a round of the event loop. Answers are entered together, a dozen at a time: parsed in one round, they
        # held it for 80 ms, and with it the network, the timers and the heart of every other page.
        self._turn = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> QueueMiddleware:
        """For crawls that `scrapy crawl` or `run` have begun. Scrapy's other commands look at pages, and keep none."""
        if not was_handed_over(crawler):
            if hasattr(crawler.spidercls, "site"):
                log.warning("not begun by `scrapy crawl` or `run`: no queue, no cache, and nothing of it is kept")
            raise NotConfigured
        middleware = cls(crawler)
        for name in ("item_scraped", "item_dropped", "item_error", "request_dropped", "spider_closed"):
            crawler.signals.connect(getattr(middleware, name), getattr(signals, name))
        return middleware

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """The claimed rows as requests; the spider's own go into the table."""
        offsite = self.crawler.get_downloader_middleware(OffsiteMiddleware)
        if offsite is not None:  # its signal handler drops a redirect without a word; its process_request says why
            self.crawler.signals.disconnect(offsite.request_scheduled, signals.request_scheduled)
        self.worker = worker = Worker.open(self.crawler)
        try:
            async for page in worker.pages_to_do(start):
                if (request := worker.request_of(page)) is not None:
                    request.meta[PAGE] = page
                    request.errback = Errback(self, request.errback)
                    yield request
        except ScraperError as error:  # Scrapy would log it as a fault of the code, with a traceback
            self.give_up(error)
            raise CloseSpider("failed") from error

    def process_spider_input(self, response: Response) -> None:
        """An answer reaches the spider: what goes wrong from here on is no failed download."""
        if (page := page_of(response)) and self.worker is not None:
            self.worker.answered(page, response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Items pass on to the pipelines; requests are kept for the page's unit of work."""
        page = page_of(response)
        if page is None or self.worker is None:
            async for output in result:
                yield output
            return
        async with self._turn:
            await asyncio.sleep(0)
        try:
            async for output in result:
                if isinstance(output, Request):
                    self.worker.add_link(page, output)
                elif output is not None:
                    page.waiting += 1
                    yield output
        except Exception as error:
            if self.process_spider_exception(response, error) is None:
                raise
            return
        self.end(page)

    def process_spider_exception(self, response: Response, exception: Exception) -> list[Any] | None:
        """A callback raised: its page ends in error. An error of ours says all in one line, others in a traceback."""
        page = page_of(response)
        if page is None or page.closed:
            return None
        if isinstance(exception, CloseSpider):
            page.released = True
        else:
            self._note(page, exception)
        self.end(page)
        return [] if isinstance(exception, ScraperError) else None

    def _note(self, page: InFlight, error: Exception) -> None:
        page.drops += parse_drops(error)
        page.fail(failed_parse(error))

    def give_up(self, error: ScraperError) -> None:
        """What happened to one page would happen to each: the run stops."""
        if self.worker is not None:
            self.worker.give_up(error)

    def end(self, page: InFlight) -> None:
        """The page's output has ended."""
        page.ended = True
        self._settle(page)

    def _settle(self, page: InFlight) -> None:
        if page.ended and page.waiting <= 0 and not page.closed and self.worker is not None:
            page.closed = True
            self.worker.desk.write(page)

    def item_scraped(self, item: Any, response: Response | Trouble | None) -> None:
        """A record came through the pipelines."""
        self._home(response, item, None)

    def item_dropped(self, item: Any, response: Response | Trouble | None, exception: BaseException) -> None:
        """A pipeline refused an item."""
        self._home(response, item, exception)

    def item_error(self, item: Any, response: Response | Trouble | None, failure: Trouble) -> None:
        """A pipeline raised."""
        self._home(response, item, failure.value)

    def _home(self, response: Response | Trouble | None, item: Any, error: BaseException | None) -> None:
        page = page_of(response)
        if page is None:
            return
        if error is None and isinstance(item, Record):
            page.records.append(item)
        else:
            page.drops += item_drops(item, error)
        page.waiting -= 1
        self._settle(page)

    def request_dropped(self, request: Request) -> None:
        """The scheduler refused a request of ours."""
        if page := request.meta.get(PAGE):
            page.fail(Failure("run", "lost", "the scheduler refused the request"))
            self.end(page)

    async def spider_closed(self, reason: str) -> None:
        """Give back what is held and end the run."""
        if self.worker is not None:
            await self.worker.close(reason)


def page_of(response: Response | Trouble | None) -> InFlight | None:
    """The page in flight behind a response, or behind the failure an errback got."""
    request = getattr(response, "request", None)
    page = request.meta.get(PAGE) if request is not None else None
    return page if isinstance(page, InFlight) else None
