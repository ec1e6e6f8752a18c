"""Runs a site's spider in this process, within a run that was begun, and gives how it came out."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy.crawler import CrawlerProcessBase

from scraper.queue.begin_crawl import Begun
from scraper.queue.worker import hand_over


def crawl_site(process: CrawlerProcessBase, site: str, begun: Begun, arguments: Mapping[str, str]) -> None:
    """Crawl until nothing is left to do; the outcome stands in `begun.run`. Call it inside the run's context."""
    crawler = process.create_crawler(site)
    hand_over(crawler, begun)
    process.crawl(crawler, **arguments)
    process.start()
    if begun.run.outcome is None:
        begun.run.end("failed", "the spider could not be started; the log above says why")
