"""Scrapy's downloader, mended: the limit per host holds without a delay too, and a crawl that is stopped ends soon.

Scrapy 2.19 starts every queued request of a host as an asyncio task, and counts it as under way only when the task
first runs; so one look at the queue releases all of it (limit 1: 15 in flight). Here it counts from when it is chosen.
And a spider that closes waits until all queued requests have been sent, each after its delay: half a minute and more
at 6 s. Here those that wait go back to the queue at once, and those under way after some seconds.
The tests `test_scrapy_still_needs_mending` and `test_scrapy_still_sends_all_of_it` turn red when this file may go.
"""

from collections.abc import Coroutine
from time import monotonic
from typing import Any

from scrapy import Request, signals
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import create_looping_call
from twisted.internet.defer import Deferred

from scraper.queue.settled import Settled

LOOK_EVERY = 0.3
"""Seconds between two looks whether the spider closes; Scrapy has a signal only for when it has closed."""
PATIENCE = 5.0
"""Seconds that requests under way may still take then: `docker stop` kills after 10."""


class Downloader(ScrapyDownloader):
    """Takes requests and gives responses, never more per host at once than CONCURRENT_REQUESTS_PER_DOMAIN.

    While the spider closes it sends nothing more: what waits fails with `Settled("released")`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._under_way: set[Deferred[Response]] = set()
        self._closing_since: float | None = None
        self._looks = create_looping_call(self._look)
        crawler.signals.connect(self._begin_to_look, signals.spider_opened)

    def _begin_to_look(self) -> None:
        self._looks.start(LOOK_EVERY, now=False)

    def close(self) -> None:
        if self._looks.running:
            self._looks.stop()
        super().close()

    def _look(self) -> None:
        engine = self.crawler.engine
        if engine is None or engine._slot is None or engine._slot.closing is None:
            return
        if self._closing_since is None:
            self._closing_since = monotonic()
        for slot in self.slots.values():
            self._process_queue(slot)
        if monotonic() - self._closing_since > PATIENCE:
            for waiter in list(self._under_way):
                waiter.errback(Settled("released"))

    def _process_queue(self, slot: Slot) -> None:
        if self._closing_since is None:
            super()._process_queue(slot)
            return
        while slot.queue:
            _, waiter = slot.queue.popleft()
            waiter.errback(Settled("released"))

    def _wait_for_download(
        self, slot: Slot, request: Request, queue_dfd: "Deferred[Response]"
    ) -> Coroutine[Any, Any, None]:
        slot.transferring.add(request)  # a set: the parent adds it again, and removes it when the answer is there
        self._under_way.add(queue_dfd)
        queue_dfd.addBoth(self._over, queue_dfd)
        answer: Deferred[Response] = Deferred()
        answer.addBoth(lambda result: None if queue_dfd.called else queue_dfd.callback(result))
        return super()._wait_for_download(slot, request, answer)

    def _over(self, result: Any, waiter: "Deferred[Response]") -> Any:
        self._under_way.discard(waiter)
        return result
