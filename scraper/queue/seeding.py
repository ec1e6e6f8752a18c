"""Puts what the spider's own `start()` yields into the queue, once per crawl, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from scrapy import Request
from sqlalchemy import Connection

from scraper.errors import BrokenSite, RunLost, ScraperError
from scraper.sites import told
from scraper.store import crawls
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.links import known_by_fp, put, see_fresh
from scraper.store.urls import NewUrl
from scraper.store.visit import CrawlRules
from scraper.store.writer import Writer

BATCH = 500
LOOK_EVERY = 5.0
"""Seconds between two looks whether the seeder has died."""


class Seeding:
    """One run seeds; a dead one is replaced and `start()` repeated, which puts nothing twice."""

    def __init__(self, database: Database, writer: Writer, rules: CrawlRules, run_id: int, wake: asyncio.Event) -> None:
        self.database = database
        self.writer = writer
        self.rules = rules
        self.run_id = run_id
        self.wake = wake

    async def seed(self, start: AsyncIterator[Any], new_url: Callable[[Request], NewUrl]) -> None:
        """Put the seeds if nobody else does; raises BrokenSite when `start()` fails."""
        while not await self.writer.call(self._take):
            if await asyncio.to_thread(self._is_seeded):
                return
            await asyncio.sleep(LOOK_EVERY)
        batch: list[NewUrl] = []
        async for output in _problems_named(start):
            if not isinstance(output, Request):
                raise BrokenSite(f"the spider's start() yielded {type(output).__name__}; it may yield requests only")
            batch.append(new_url(output))
            if len(batch) >= BATCH:
                await self._flush(batch)
        await self._flush(batch)
        await self.writer.call(self._mark)
        self.wake.set()

    async def _flush(self, batch: list[NewUrl]) -> None:
        if batch:
            await self.writer.call(partial(self._put, wanted=list(batch)))
            cut_point("seed:put")
            batch.clear()
            self.wake.set()

    def _is_seeded(self) -> bool:
        with self.database.read() as connection:
            return crawls.find(connection, self.rules.crawl_id).seeded_at is not None

    def _take(self, connection: Connection) -> bool:
        return crawls.take_seeding(connection, self.rules.crawl_id, self.run_id)

    def _mark(self, connection: Connection) -> bool:
        return crawls.mark_seeded(self.database, connection, self.rules.crawl_id, self.run_id)

    def _put(self, connection: Connection, wanted: list[NewUrl]) -> None:
        before = known_by_fp(connection, self.rules.site_id, [link.fp for link in wanted])
        if not crawls.lock_for_seeding(connection, self.rules.crawl_id, self.run_id):
            raise RunLost(f"run {self.run_id} does not seed crawl {self.rules.crawl_id} any more; start again")
        placed = put(self.database, connection, self.rules, [(link, None) for link in wanted], before)
        see_fresh(self.database, connection, self.rules, placed)


async def _problems_named(start: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """What `start()` yields; what it raises says that it was the site's code, and where."""
    try:
        async for output in start:
            yield output
    except ScraperError:
        raise
    except Exception as error:  # a site's code may raise anything
        raise BrokenSite(f"the seeds cannot be read: {told(error)}; mend the spider and start again") from error
