"""The extension that shows at a terminal how far a crawl is."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from sqlalchemy import case, func, select

from scraper.errors import ScraperError
from scraper.monitor.stage_bar import StageBar
from scraper.store.database import Database
from scraper.store.tables import crawls, sites, urls

EVERY = 1.0
"""Seconds between two looks; each reads one index range."""


class CrawlBar:
    """Asks the database, so it shows the whole crawl, whoever works on it. Under cron or in a pipe it does nothing."""

    def __init__(self, site: str, database: Database, bar: StageBar) -> None:
        self.site = site
        self.database = database
        self.bar = bar
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlBar:
        bar = StageBar()
        if not bar.shown or not hasattr(crawler.spidercls, "site"):
            raise NotConfigured
        extension = cls(crawler.spidercls.name, Database(crawler.settings["DATABASE_URL"]), bar)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    async def spider_opened(self) -> None:
        """Begin to show."""
        self.bar.__enter__()
        self._task = asyncio.create_task(self._show())

    async def spider_closed(self) -> None:
        """Take the bar away; the report follows."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self.bar.__exit__(None, None, None)
        self.database.close()

    async def _show(self) -> None:
        while True:
            try:
                done, known = await asyncio.to_thread(self._look)
            except ScraperError:
                pass  # the crawl itself tells of a database that does not answer; the bar stands still meanwhile
            else:
                self.bar(f"crawl {self.site}", done, known)
            await asyncio.sleep(EVERY)

    def _look(self) -> tuple[int, int]:
        newest = (
            select(func.max(crawls.c.id)).join(sites, sites.c.id == crawls.c.site_id).where(sites.c.name == self.site)
        )
        ended = case((urls.c.status.in_(("parsed", "error")), 1), else_=0)
        with self.database.read() as connection:
            query = select(func.sum(ended), func.count()).where(urls.c.crawl_id == newest.scalar_subquery())
            done, known = connection.execute(query).one()
        return int(done or 0), known
