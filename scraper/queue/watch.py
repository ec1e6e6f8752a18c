"""Looks after a crawl while it works: a run that must end, and pages that vanished inside Scrapy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from scrapy.crawler import Crawler

from scraper.queue.in_flight import InFlight

PATIENCE = 3
"""Looks at an idle engine with open pages before they count as vanished."""


class Watch:
    """Looks once a second. `why_over` says why the spider must close, `vanished` ends a page that nothing works on.

    A page that a component dropped without a word would hold its claim for ever: a live run never loses its lease, so
    nobody else would notice.
    """

    def __init__(
        self,
        why_over: Callable[[], str | None],
        open_pages: Callable[[], list[InFlight]],
        vanished: Callable[[InFlight], None],
        crawler: Crawler,
    ) -> None:
        self.why_over = why_over
        self.open_pages = open_pages
        self.vanished = vanished
        self.crawler = crawler
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        """Whether it is closing the spider: the worker's own end, which stops the watch, is a part of that."""

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._watch())

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None and not self._closing:
            self._task.cancel()

    async def _watch(self) -> None:
        idle = 0
        while (reason := self.why_over()) is None:
            open_pages = self.open_pages()
            idle = idle + 1 if open_pages and self._engine_is_idle() else 0
            if idle >= PATIENCE:
                for page in open_pages:
                    self.vanished(page)
                idle = 0
            await asyncio.sleep(1)
        self._closing = True
        assert self.crawler.engine is not None
        await self.crawler.engine.close_spider_async(reason=reason)

    def _engine_is_idle(self) -> bool:
        engine = self.crawler.engine
        if engine is None or engine.scheduler is None or engine.scraper.slot is None:
            return False
        return not (
            engine.scheduler.has_pending_requests() or engine.downloader.active or not engine.scraper.slot.is_idle()
        )
