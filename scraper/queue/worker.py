"""One process at work on a crawl: takes its run over, seeds, turns rows into requests, and ends."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from scraper.errors import DatabaseProblem, ScraperError
from scraper.project_version import project_version
from scraper.queue.begin_crawl import Begun, finders_of
from scraper.queue.crawl_rules import rules_of
from scraper.queue.desk import PageDesk
from scraper.queue.ending import Patience
from scraper.queue.failure import Failure, one_line
from scraper.queue.feed import Feed
from scraper.queue.feeder import Feeder
from scraper.queue.identity import identity
from scraper.queue.in_flight import InFlight
from scraper.queue.new_url import DEFAULT_CALLBACK, new_url
from scraper.queue.request_text import load
from scraper.queue.seeding import Seeding
from scraper.queue.watch import Watch
from scraper.store import urls
from scraper.store.unit_of_work import Work
from scraper.store.visit import why_due
from scraper.store.writer import Writer

log = logging.getLogger(__name__)
UNLIMITED = 100
"""Requests under way that CONCURRENT_REQUESTS=0, no limit, is taken for."""
_handed_over: WeakKeyDictionary[Crawler, Begun] = WeakKeyDictionary()


def hand_over(crawler: Crawler, begun: Begun) -> None:
    """Give a crawler the run that a command has begun for it."""
    _handed_over[crawler] = begun


def was_handed_over(crawler: Crawler) -> bool:
    """Whether a run was begun for the crawler; without one there is nothing to claim for."""
    return crawler in _handed_over


class Worker:
    """Stands between the middleware and the store. One per crawler; closed once."""

    def __init__(self, crawler: Crawler, begun: Begun) -> None:
        settings, spider = crawler.settings, crawler.spider
        assert spider is not None
        assert crawler.stats is not None
        self.crawler, self.spider, self.stats = crawler, spider, crawler.stats
        self.run, database = begun.run, begun.run.database
        self.database = database
        site, arguments = spider.site, spider.arguments  # type: ignore[attr-defined]  # a SiteSpider
        self.parsers = spider.parsers  # type: ignore[attr-defined]
        self.varies = {name: page.varies for name, page in site.pages.items()}
        self.rules = rules_of(site, begun.crawl)
        self.writer = Writer(asyncio.get_running_loop(), database)
        feed = Feed(
            run_id=begun.run.id,
            crawl=begun.crawl,
            window=2 * (settings.getint("CONCURRENT_REQUESTS") or UNLIMITED),
            at_once=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            delay=settings.getfloat("DOWNLOAD_DELAY"),
            only=arguments.only,
            limit=arguments.limit,
            finders=finders_of(site),
            max_wait=settings.getfloat("QUEUE_MAX_WAIT"),
        )
        self.feeder = Feeder(database, self.writer, feed, self.stats, begun.run.look_for_dead)
        self.seeding = Seeding(database, self.writer, self.rules, begun.run.id, self.feeder.wake)
        self.watch = Watch(self._why_over, self._open_pages, self._vanished, crawler)
        self.trouble: ScraperError | None = None
        """What no page can be done with, so that the run stops."""
        work = Work(self.rules, begun.run.id, project_version())
        patience = Patience(settings.getint("QUEUE_MAX_ATTEMPTS"), settings.getfloat("QUEUE_BACKOFF"))
        self.desk = PageDesk(site.name, database, self.writer, work, patience, self.stats, self.feeder.done)

    @classmethod
    def open(cls, crawler: Crawler) -> Worker:
        """Take over the run that was begun for the crawler, and start the threads that write and watch."""
        worker = cls(crawler, _handed_over[crawler])
        worker.writer.start()
        worker.watch.start()
        return worker

    async def pages_to_do(self, start: AsyncIterator[Any]) -> AsyncIterator[InFlight]:
        """Pages to be worked on, while the spider's own start puts the seeds."""
        seeding = asyncio.create_task(
            self.seeding.seed(start, lambda request: new_url(request, self.spider, self.varies))
        )
        seeding.add_done_callback(
            lambda task: task.cancelled() or task.exception()
        )  # the feeder may end before it asks
        try:
            async for row in self.feeder.rows_to_do(seeding):
                page = InFlight(row, desk=self.desk)
                self.feeder.working(page)
                yield page
        finally:
            seeding.cancel()

    def request_of(self, page: InFlight) -> Request | None:
        """What must be asked for a claimed row; None when it is settled without Scrapy."""
        row = page.row
        if (parser := self.parsers.get(row.page_type)) is None:
            page.fail(Failure("scope", "scope", f"the site card has no page type {row.page_type!r} any more"))
            self._settle(page)
            return None
        page.parser_version = parser.version
        page.park = self.feeder.feed.only == "fetch"
        due = why_due(self.rules, row.page_type, row.fetch_id, row.fetched_at, row.fetched_crawl_id)
        if due is None and row.body_hash is not None:
            if row.parsed_hash == row.body_hash and row.parser_version == parser.version:
                page.settled = "kept"
                self.stats.inc_value("queue/kept")
                self._settle(page)
                return None
            page.serve_kept = True
        try:
            request = load(row.request, row.url, self.spider, DEFAULT_CALLBACK, row.parent_url)
        except (ValueError, KeyError, TypeError) as error:
            page.fail(Failure("scope", "link", one_line(error)))
            self._settle(page)
            return None
        request.meta["page_type"] = row.page_type
        request.meta["context"] = json.loads(row.context) if row.context else {}
        request.meta["depth"] = row.depth
        page.asked = request
        return request

    def _settle(self, page: InFlight) -> None:
        page.ended = page.closed = True
        self.desk.write(page)

    def give_up(self, error: ScraperError) -> None:
        """Stop the run: what happened to one page would happen to each. What is held goes back to the queue."""
        late, self.feeder.closed = self.feeder.closed, True
        if not late and self.trouble is None and error is not self.writer.error:  # the writer has told of its own
            log.error("The run stops: %s", error)
        self.trouble = self.trouble or error

    def add_link(self, page: InFlight, request: Request) -> None:
        """A request that the page's callback yielded; one whose host is none at all is counted and left."""
        try:
            page.links.append(new_url(request, self.spider, self.varies, page.row, len(page.links)))
        except ValueError as error:
            log.warning("%s: a link is not followed: %s", page.row.url, error)
            self.stats.inc_value("links/invalid")

    def answered(self, page: InFlight, response: Response) -> None:
        """An answer reached the spider; note where redirects led."""
        page.answered = True
        asked = page.asked
        if asked is None or asked.method != "GET" or page.row.generation:
            return  # only a plain page can be found again at another address
        varies = self.varies.get(page.row.page_type, ())
        found = asked.replace(url=response.url)
        if identity(found, varies) != identity(asked, varies):
            page.final = new_url(found, self.spider, self.varies)

    def _why_over(self) -> str | None:
        """Why the run must end now, or None."""
        if self.writer.error is not None or not self.writer.is_alive():
            return "writer_failed"
        if self.trouble is not None:
            return "failed"
        return "robbed" if self.run.robbed.is_set() else None

    def _open_pages(self) -> list[InFlight]:
        return [page for page in self.feeder.pages if not page.closed]

    def _vanished(self, page: InFlight) -> None:
        """End a page of which nothing is under way any more, though its end was never told."""
        page.fail(Failure("run", "lost", "the request, or an item of the page, vanished without a signal"))
        self.stats.inc_value("queue/vanished")
        self._settle(page)

    async def close(self, reason: str) -> None:
        """Write what is under way, give back what is not, say how the run came out."""
        self.feeder.closed = True
        self.watch.stop()
        if self.writer.error is None:
            with suppress(DatabaseProblem):  # it stands in the writer's error then
                freed = await self.writer.call(
                    lambda connection: urls.release(connection, self.run.id, self.rules.crawl_id)
                )
                if freed:
                    log.info("%d claimed pages are back in the queue", freed)
        outcome, why = self.feeder.outcome, self.feeder.reason
        if reason == "shutdown":  # a signal, even if it came as the last page was done: `run` goes no further
            outcome = why = None
        planned = outcome in ("finished", "joined-finished", "released")
        if self.writer.error is not None:
            outcome, why = "failed", str(self.writer.error)
        elif self.run.robbed.is_set():
            outcome, why = "robbed", "another run declared this one lost"
        elif self.trouble is not None:
            outcome, why = "failed", str(self.trouble)
        elif outcome is None:
            outcome, why = ("failed" if reason == "start_error" else "released"), reason
        self.desk.closed = True
        self.writer.stop()
        await asyncio.to_thread(self.writer.join)
        self.run.end(outcome, why, stopped=not planned or outcome in ("failed", "robbed"))
