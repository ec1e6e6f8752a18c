"""The downloader middleware that keeps accepted answers, and answers from what is kept without a request."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.statscollectors import StatsCollector

from scraper.errors import BodyDamaged
from scraper.queue.in_flight import Answer, InFlight
from scraper.queue.request_text import PAGE
from scraper.queue.settled import Settled
from scraper.store.body_store import BodyStore, KeptBody

T = TypeVar("T")
log = logging.getLogger(__name__)
GONE = (404, 410)
STALE = 3600.0
"""Seconds after which a body's unfinished file belongs to no live writer."""


class CacheMiddleware:
    """Stands nearer to the engine than Retry and Redirect, so that only final, whole answers come to it.

    An answer is kept before it is parsed: the body on disk first, then its row. Requests that belong to no page of the
    queue (robots.txt, a request a callback awaits) pass untouched.
    """

    def __init__(self, bodies: BodyStore, stats: StatsCollector) -> None:
        self.bodies = bodies
        self.stats = stats
        # Syncing a file waits for the disk; its own threads keep the event loop and the writer out of that.
        self._disk = ThreadPoolExecutor(max_workers=4, thread_name_prefix="bodies")
        self._sweeping: Future[int] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CacheMiddleware:
        assert crawler.stats is not None
        middleware = cls(BodyStore(Path(crawler.settings["CACHE_DIR"])), crawler.stats)
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signals.spider_closed)
        return middleware

    def spider_opened(self) -> None:
        """Begin to remove what writers that died left unfinished; none that lives is as old."""
        self._sweeping = self._disk.submit(self.bodies.sweep, STALE)

    async def spider_closed(self) -> None:
        """Let the disk's threads end."""
        if self._sweeping is not None:
            self.stats.inc_value("cache/swept", await asyncio.wrap_future(self._sweeping))
        self._disk.shutdown(wait=False)

    async def process_request(self, request: Request) -> Request | Response | None:
        """The kept answer of a page that is fresh but not parsed yet, without a request."""
        page = _page(request)
        if page is None:
            return None
        if not page.serve_kept:
            self.stats.inc_value("cache/miss")
            return None
        try:
            return await self._kept_answer(request, page)
        except BodyDamaged as error:
            log.warning("%s: %s; it is fetched again", request.url, error)
            self.stats.inc_value("cache/damaged")
            page.serve_kept = False
            return request.copy()  # from the start, since robots.txt was not asked about it

    async def _kept_answer(self, request: Request, page: InFlight) -> Response:
        fetch = await page.desk.kept(page)
        if fetch is None:
            raise BodyDamaged("no kept answer stands in the database")
        body = await self._in_thread(self.bodies.load, fetch.body_hash)
        headers = Headers(json.loads(fetch.headers))
        url = fetch.final_url or request.url
        kind = responsetypes.from_args(headers=headers, url=url, body=body)
        page.fetch_id, page.fetched_at, page.body_hash = fetch.id, fetch.at, fetch.body_hash
        request.meta["fetched_at"] = fetch.at
        self.stats.inc_value("cache/hit")
        return kind(url=url, status=fetch.http_status, headers=headers, body=body, flags=["cached"])

    async def process_response(self, request: Request, response: Response) -> Response:
        """Keep an accepted answer. A page that did not change, or is only to be fetched, goes no further."""
        page = _page(request)
        if page is None or "cached" in response.flags:
            return response
        if response.status in GONE:
            page.gone = self._answer(request, response, None)
        if not 200 <= response.status < 300:
            return response
        kept = await self._in_thread(self.bodies.keep, response.body)
        await page.desk.enter(page, self._answer(request, response, kept))
        request.meta["fetched_at"] = page.fetched_at
        self.stats.inc_value("cache/kept")
        if page.park:
            raise Settled("parked")
        if page.row.parsed_hash == kept.hash and page.row.parser_version == page.parser_version:
            self.stats.inc_value("cache/unchanged")
            raise Settled("kept")
        return response

    @staticmethod
    def _answer(request: Request, response: Response, kept: KeptBody | None) -> Answer:
        headers = {
            name.decode("latin-1").lower(): [value.decode("latin-1") for value in values]
            for name, values in response.headers.items()
        }
        page = request.meta[PAGE]
        return Answer(
            http_status=response.status,
            headers=headers,
            body_hash=kept.hash if kept else None,
            bytes=kept.bytes if kept else len(response.body),
            stored_bytes=kept.stored_bytes if kept else 0,
            final_url=response.url if response.url != page.row.url else None,
            seconds=request.meta.get("download_latency", 0.0),  # without the wait for the host's turn
        )

    async def _in_thread(self, call: Callable[[bytes], T], argument: bytes) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, call, argument)


def _page(request: Request) -> InFlight | None:
    page = request.meta.get(PAGE)
    return page if isinstance(page, InFlight) else None
