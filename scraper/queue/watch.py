"""Looks after a worker while it works: a dead writer, a lost run, and pages that vanished inside Scrapy."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scraper.queue.failure import Failure

if TYPE_CHECKING:
    from scraper.queue.worker import Worker

log = logging.getLogger(__name__)
PATIENCE = 3
"""Looks at an idle engine with open pages before they count as vanished."""


class Watch:
    """Once a second. A page that a component dropped without a word would hold its claim for ever: a live run never
    loses its lease, so nobody else would notice."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
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
        worker, idle = self.worker, 0
        while True:
            await asyncio.sleep(1)
            if (reason := self._why_over()) is not None:
                break
            open_pages = [page for page in worker.feeder.pages if not page.closed]
            idle = idle + 1 if open_pages and self._engine_is_idle() else 0
            if idle >= PATIENCE:
                for page in open_pages:
                    page.fail(Failure("run", "lost", "the request, or an item of the page, vanished without a signal"))
                    page.ended = page.closed = True
                    worker.stats.inc_value("queue/vanished")
                    worker.write(page)
                idle = 0
        self._closing = True
        assert worker.crawler.engine is not None
        await worker.crawler.engine.close_spider_async(reason=reason)

    def _why_over(self) -> str | None:
        if self.worker.writer.error is not None or not self.worker.writer.is_alive():
            return "writer_failed"
        if self.worker.trouble is not None:
            return "failed"
        return "robbed" if self.worker.run.robbed.is_set() else None

    def _engine_is_idle(self) -> bool:
        engine = self.worker.crawler.engine
        if engine is None or engine.scheduler is None or engine.scraper.slot is None:
            return False
        return not (
            engine.scheduler.has_pending_requests() or engine.downloader.active or not engine.scraper.slot.is_idle()
        )
