"""One page asked for as a crawl would ask, by robots, delay and base, but without queue or cache: nothing is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import ClassVar

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.http import Response
from scrapy.settings import BaseSettings, Settings
from twisted.python.failure import Failure as Trouble

from scraper.errors import NotKept
from scraper.models import Page
from scraper.origin import Base
from scraper.queue.failure import failed_fetch
from scraper.sites import Site


def fetch_once(settings: Settings, site: Site, base: str | None, url: str) -> Page:
    """The page of an address of the site, from the network. Raises NotKept with the reason when there is none.

    It runs Scrapy's reactor, so a process can call it once.
    """
    process = AsyncCrawlerProcess(settings)
    card = process.spider_loader.load(site.name)
    given: list[Page] = []
    failed: list[str] = []

    class OneRequest(Spider):
        """Has no `site`, so the queue and the cache leave it alone; takes the settings of the site's own spider."""

        name = site.name
        allowed_domains: ClassVar[list[str]] = list(site.hosts)

        @classmethod
        def update_settings(cls, settings: BaseSettings) -> None:
            card.update_settings(settings)

        async def start(self) -> AsyncIterator[Request]:
            offsite = self.crawler.get_downloader_middleware(OffsiteMiddleware)
            if offsite is not None:  # its signal handler drops a redirect without a word; its process_request says why
                self.crawler.signals.disconnect(offsite.request_scheduled, signals.request_scheduled)
            yield Request(url, callback=self.parse, errback=self.fail)

        def parse(self, response: Response) -> None:
            given.append(_page(site, response))

        def fail(self, failure: Trouble) -> None:
            assert failure.value is not None
            failed.append(failed_fetch(failure.value).reason)

    OneRequest.base = Base(site.origin, base) if base else None  # type: ignore[attr-defined]  # the handler reads it
    process.crawl(OneRequest)
    process.start()
    if given:
        return given[0]
    raise NotKept(f"{url} cannot be fetched: {failed[0] if failed else 'stopped before it came'}")


def _page(site: Site, response: Response) -> Page:
    return Page(
        url=response.url,
        body=response.body,
        headers={str(name).lower(): str(value) for name, value in response.headers.to_unicode_dict().items()},
        status=response.status,
        fetched_at=datetime.now(UTC),
        locale=site.locale,
    )
