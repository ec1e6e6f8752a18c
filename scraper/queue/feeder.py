"""Claims rows for one run and hands them out as pages in flight, until nothing of the crawl is left to do."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

from scrapy.statscollectors import StatsCollector
from sqlalchemy import Connection

from scraper.queue.feed import Feed, Look
from scraper.queue.in_flight import InFlight
from scraper.store import crawls, runs, urls
from scraper.store.clock import iso
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.runs import Outcome
from scraper.store.sites import hosts_of
from scraper.store.urls import Claim, Claimed
from scraper.store.writer import Writer

log = logging.getLogger(__name__)
BATCH = 50
"""At most so many rows in one claim, so that its transaction stays short."""
SHORTEST_NAP, LONGEST_NAP = 0.1, 1.0
"""Seconds between two looks at the queue while nothing happens. The first ones are short: where a listing gives a few
rows at a time, a worker that looks once a second finds them taken."""


class Feeder:
    """Yields rows to be worked on; ends when the crawl is done, the limit is reached, or only later ones are left."""

    def __init__(
        self,
        database: Database,
        writer: Writer,
        feed: Feed,
        stats: StatsCollector,
        look_for_dead: Callable[[], None],
    ) -> None:
        self.database = database
        self.writer = writer
        self.feed = feed
        self.stats = stats
        self.look_for_dead = look_for_dead
        self.pages: set[InFlight] = set()
        """Everything claimed and not written yet."""
        self.wake = asyncio.Event()
        """Set when a page was written, or rows were put."""
        self.closed = False
        """Once set, nothing more is claimed: Scrapy lets `start()` run on while a spider closes."""
        self.outcome: Outcome | None = None
        self.reason: str | None = None
        self.claimed = 0
        self._pause = SHORTEST_NAP
        self._solo = False

    async def rows_to_do(self, seeding: asyncio.Task[None] | None) -> AsyncIterator[Claimed]:
        """Rows as they are claimed; back-pressure is here, Scrapy's `start()` has none."""
        while not self.closed:
            if seeding is not None and seeding.done() and (error := seeding.exception()) is not None:
                raise error
            rows = await self._claim_some()
            for row in rows:
                yield row
            if rows:
                self._pause = SHORTEST_NAP
                continue
            if not self.pages and await self._is_over():
                return
            await self._nap()

    def working(self, page: InFlight) -> None:
        """A claimed row became a page in flight."""
        self.pages.add(page)

    def done(self, page: InFlight) -> None:
        """A page was written."""
        self.pages.discard(page)
        if not self.pages:
            self._solo = False
        self.wake.set()

    async def _nap(self) -> None:
        """Until something happens here, or for a while: longer and longer while others have all there is."""
        try:
            await asyncio.wait_for(self.wake.wait(), self._pause)
        except TimeoutError:
            self.stats.inc_value("queue/naps")
            self._pause = min(2 * self._pause, LONGEST_NAP)
        self.wake.clear()

    async def _claim_some(self) -> list[Claimed]:
        room = self.feed.window - len(self.pages)
        if self.feed.limit is not None:
            room = min(room, self.feed.limit - self.claimed)
        if self._solo or room <= 0:
            return []
        held: dict[int, int] = {}
        for page in self.pages:
            held[page.row.host_id] = held.get(page.row.host_id, 0) + 1
        per_host = self.feed.room_per_host(self._latency())
        claimed: list[Claimed] = []
        for host_id in await asyncio.to_thread(self._hosts):
            count = min(room - len(claimed), per_host - held.get(host_id, 0), BATCH)
            if count > 0 and (count >= per_host // 2 or not self.pages):  # a claim costs the same for one row or many
                claimed += await self._claim(host_id, count)
        if not claimed and not self.pages:
            claimed = await self._claim_solo()
        self.claimed += len(claimed)
        self.stats.inc_value("queue/claimed", len(claimed))
        return claimed

    async def _claim_solo(self) -> list[Claimed]:
        """One row that runs have died with, alone: so that it costs no innocent page another strike."""
        for host_id in await asyncio.to_thread(self._hosts):
            if rows := await self._claim(host_id, 1, solo=True):
                self._solo = True
                self.stats.inc_value("queue/solo")
                return rows
        return []

    async def _claim(self, host_id: int, count: int, *, solo: bool = False) -> list[Claimed]:
        wanted = Claim(
            run_id=self.feed.run_id,
            crawl_id=self.feed.crawl.id,
            host_id=host_id,
            count=count,
            solo=solo,
            page_types=self.feed.finders.only if self.feed.only == "discover" else None,
            unfetched=self.feed.only == "fetch",
        )
        claimed = await self.writer.call(lambda connection: urls.claim(self.database, connection, wanted))
        cut_point("claim:taken")
        return claimed

    def _latency(self) -> float:
        """The mean seconds an answer took, as far as known."""
        total, count = self.stats.get_value("fetch/seconds", 0.0), self.stats.get_value("fetch/answers", 0)
        return total / count if count else 1.0

    def _hosts(self) -> list[int]:
        with self.database.read() as connection:
            return hosts_of(connection, self.feed.crawl.site_id)

    def _look(self, connection: Connection) -> Look | None:
        if not runs.is_live(connection, self.feed.run_id):
            return None
        # Called when nothing is in memory, so a row of this run's is one whose claim or end got lost on the way.
        if stray := urls.release(connection, self.feed.run_id, self.feed.crawl.id):
            log.warning("%d pages that this run held without knowing are back in the queue", stray)
        crawl, now = crawls.find(connection, self.feed.crawl.id), self.database.now(connection)
        done = crawls.close_if_done(self.database, connection, crawl, self.feed.finders)
        seeded = crawl.seeded_at is not None
        return Look(done, crawl.state != "open", seeded, urls.waiting(connection, crawl.id, now), now)

    async def _is_over(self) -> bool:
        """Whether this run has nothing more to do; says then how it ends."""
        if self.feed.limit is not None and self.claimed >= self.feed.limit:
            return self._end("released", f"the limit of {self.feed.limit} pages is reached")
        look = await self.writer.call(self._look)
        if look is None:  # the heart, which looks now and then, has not noticed yet
            return self._end("robbed", "another run declared this one lost")
        if look.done:
            cut_point("crawl:closed")
            await asyncio.to_thread(self.look_for_dead)
            return self._end("joined-finished" if look.closed_before else "finished", None)
        left = look.waiting
        if not look.seeded or left.leased:
            # What is left is held by others. A dead one must not keep it until the heartbeat's next look.
            await asyncio.to_thread(self.look_for_dead)
            return False
        ready = left.pending - left.later
        if self.feed.only and not left.later:
            return self._end("released", f"only={self.feed.only} is done; {left.pending:,} pages wait for the rest")
        if ready or left.next_due is None:
            return False
        if (left.next_due - look.now) / 1_000_000 > self.feed.max_wait:
            return self._end("waiting", f"{left.pending:,} pages are put off; the next at {iso(left.next_due)}")
        return False

    def _end(self, outcome: Outcome, reason: str | None) -> bool:
        self.outcome, self.reason = outcome, reason
        if reason:
            log.info("%s", reason)
        return True
