"""Where pages in flight meet the database: their answers are entered, found again, and their ends written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from scrapy.statscollectors import StatsCollector

from scraper.errors import ClaimLost
from scraper.queue.ending import Patience, page_end
from scraper.queue.failure import Failure, one_line
from scraper.queue.in_flight import Answer, InFlight
from scraper.store import fetches, unit_of_work
from scraper.store.canonical import canonical
from scraper.store.database import Database
from scraper.store.fetches import Entered, KeptFetch, NewFetch
from scraper.store.page_end import PageEnd
from scraper.store.unit_of_work import Work, Written
from scraper.store.urls import Claimed
from scraper.store.writer import Group, Writer

log = logging.getLogger(__name__)
KEPT_STAGES = ("parse", "validate", "store")
"""The stages of an error whose page is kept and can be looked at."""


class PageDesk:
    """Serves the event loop; the writer thread does the work. `done` is called with each page that was written."""

    def __init__(
        self,
        site: str,
        database: Database,
        writer: Writer,
        work: Work,
        patience: Patience,
        stats: StatsCollector,
        done: Callable[[InFlight], None],
    ) -> None:
        self.site = site
        self.database = database
        self.writer = writer
        self.work = work
        self.patience = patience
        self.stats = stats
        self.done = done
        self.closed = False
        """Whether the run is over: what it held is free again, and its writer is gone."""
        self._units: Group[PageEnd, Written | None] = Group("unit", self._commit)
        self._fetches: Group[NewFetch, Entered | None] = Group("fetch", self._enter)

    async def enter(self, page: InFlight, answer: Answer) -> None:
        """Enter an accepted answer before it is parsed; raises ClaimLost when the run holds the page no more."""
        entered = await self.writer.submit(self._fetches, self._new_fetch(page, answer))
        if entered is None:
            raise ClaimLost(f"run {self.work.run_id} holds page {page.row.id} no more")
        self.stats.inc_value("fetch/answers")
        self.stats.inc_value("fetch/seconds", answer.seconds)  # type: ignore[arg-type]  # it adds floats as well
        page.fetch_id, page.fetched_at, page.body_hash = entered.fetch_id, entered.at, answer.body_hash

    async def kept(self, page: InFlight) -> KeptFetch | None:
        """The page's kept answer."""
        return await asyncio.to_thread(self._kept, page.row)

    def write(self, page: InFlight, failure: Failure | None = None) -> None:
        """Hand a page's end to the writer; one that the database refuses becomes an error of stage `store`."""
        if self.closed:
            return
        if failure is not None:
            read_by = page.parser_version
            end = PageEnd(
                page.row.id, "failed", stage="store", reason_code="store", reason=failure.reason, parser_version=read_by
            )
        else:
            end = page_end(page, self.patience)
            if page.gone is not None:
                end = replace(end, gone=self._new_fetch(page, page.gone))

        def written(future: asyncio.Future[Written | None]) -> None:
            if future.cancelled():
                return
            error = future.exception()
            if error is not None and failure is None and self.writer.error is None:
                self.write(page, Failure("store", "store", one_line(error)))
                return
            if error is None:
                self._count(end, page.row.url, future.result())
            self.done(page)

        self.writer.submit(self._units, end).add_done_callback(written)

    def _new_fetch(self, page: InFlight, answer: Answer) -> NewFetch:
        return NewFetch(
            url_id=page.row.id,
            crawl_id=self.work.rules.crawl_id,
            run_id=self.work.run_id,
            http_status=answer.http_status,
            headers=canonical(answer.headers),
            body_hash=answer.body_hash,
            bytes=answer.bytes,
            stored_bytes=answer.stored_bytes,
            final_url=answer.final_url,
            tier="plain",
            seconds=answer.seconds,
        )

    def _enter(self, wanted: Sequence[NewFetch]) -> Sequence[Entered | None]:
        return fetches.enter(self.database, wanted)

    def _commit(self, ends: Sequence[PageEnd]) -> Sequence[Written | None]:
        return unit_of_work.commit(self.database, self.work, ends)

    def _kept(self, row: Claimed) -> KeptFetch | None:
        if row.fetch_id is None:
            return None
        with self.database.read() as connection:
            return fetches.kept_fetch(connection, row.fetch_id)

    def _count(self, end: PageEnd, url: str, written: Written | None) -> None:
        if written is None:
            self.stats.inc_value("queue/claim_lost")
            return
        self.stats.inc_value(f"queue/{end.effect}")
        self.stats.inc_value("links/new", written.links_new)
        self.stats.inc_value("links/visited", written.links_visited)
        self.stats.inc_value("records/conflicts", written.conflicts)
        if end.reason_code is not None:
            self.stats.inc_value(f"error/{end.reason_code}")
            where = f"see: scrapy page {self.site} {url}" if end.stage in KEPT_STAGES else url
            log.warning("error %s/%s: %s; %s", end.stage, end.reason_code, end.reason, where)
