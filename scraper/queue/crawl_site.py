"""Runs a site's spider in this process, within a run that was begun, and gives how it came out."""

from __future__ import annotations

import gc
import logging
from collections.abc import Mapping

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from scraper.errors import BrokenSite, ScraperError
from scraper.queue.begin_crawl import Begun
from scraper.queue.worker import hand_over
from scraper.sites import told

log = logging.getLogger(__name__)


def crawl_site(settings: Settings, site: str, begun: Begun, arguments: Mapping[str, str]) -> None:
    """Crawl until nothing is left to do; the outcome stands in `begun.run`. Call it inside the run's context.

    Raises BrokenSite when Scrapy cannot even start: a setting it cannot read, a component that is not there.
    """
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(site)
    hand_over(crawler, begun)
    # The table's unique key is the filter. Without the queue Scrapy's own stays, or a spider would never end.
    crawler.settings.set("DUPEFILTER_CLASS", "scrapy.dupefilters.BaseDupeFilter", priority="cmdline")
    task = process.crawl(crawler, **arguments)
    gc.freeze()  # a full collection walks over all that is loaded by now, which stays anyway: 130 ms for everybody
    process.start()
    if not task.done() or task.cancelled() or (error := task.exception()) is None:
        if begun.run.outcome is None:  # a signal while it closes ends the event loop where it stands
            begun.run.end("released", "stopped by a signal before it had closed")
        return
    log.debug("%s could not be started", site, exc_info=error)
    if isinstance(error, ScraperError):
        raise error
    raise BrokenSite(
        f"{site} cannot be started: {told(error)}; look at its spider, its site card and the settings (-s); "
        "-L DEBUG shows the traceback"
    ) from error
