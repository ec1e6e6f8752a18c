"""The spider of a site folder: puts the seeds, and lets the page type's parser read each answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from scraper.crawl_arguments import Arguments
from scraper.link_rule import NotFollowed, follow
from scraper.models import Link, Page, Record, Refused
from scraper.origin import Base
from scraper.parser import Parser, parsers_of
from scraper.sites import Site
from scraper.store.clock import to_datetime

_PLACES = {"DATABASE_URL", "CACHE_DIR", "EXPORT_DIR"}
"""What commands that load no spider read as well: a site that set them would keep pages where `reparse` looks not."""


class SiteSpider(Spider):
    """A site's spider states `site`, and `seeds` where the first page is not the origin. Its parsers do the rest."""

    site: ClassVar[Site]
    allowed_domains: ClassVar[list[str]]
    base: Base | None = None
    """The origin asked instead of the site's own; the download handler maps addresses by it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if wrong := _PLACES & (cls.custom_settings or {}).keys():
            raise ValueError(
                f"custom_settings cannot set {min(wrong)}: all sites and commands share it; set it in .env"
            )
        if site := cls.__dict__.get("site"):
            cls.name = site.name
            cls.allowed_domains = list(site.hosts)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.arguments = Arguments.read(kwargs)
        self.parsers: dict[str, Parser] = parsers_of(self.site)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """The site card stands between the project's settings and `custom_settings` (docs/settings.md)."""
        card = {
            "DOWNLOAD_DELAY": cls.site.delay,
            "CONCURRENT_REQUESTS_PER_DOMAIN": cls.site.concurrency,
        }
        for name, value in card.items():
            if value is not None:
                settings.set(name, value, priority="spider")
        super().update_settings(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        if base := spider.arguments.base:
            spider.base = Base(cls.site.origin, base)
        return spider

    def seeds(self) -> Iterable[Link]:
        """Where discovery begins: the origin, read by the first page type of the card, unless a site says otherwise."""
        yield Link(self.site.origin, next(iter(self.site.pages)))

    async def start(self) -> AsyncIterator[Request]:
        """The seeds as requests; the queue stores them."""
        for link in self.seeds():
            if request := self.request(link, self.site.origin):
                yield request

    def parse(self, response: Response, **_: Any) -> Iterator[Record | Refused | Request]:
        """What the page type's parser makes of an answer."""
        page = self.page(response)
        parser = self.parsers[response.meta["page_type"]]
        try:
            for value in parser.run(page):
                if not isinstance(value, Link):
                    yield value
                elif request := self.request(value, page.base_url):
                    yield request
        finally:
            for layer, count in page.matched.items():
                self._count(f"selector/{parser.page_type}/{layer}", count)

    def page(self, response: Response) -> Page:
        """The answer as a parser sees it."""
        fetched_at = response.meta.get("fetched_at")
        return Page(
            url=response.url,
            body=response.body,
            headers={str(name).lower(): str(value) for name, value in response.headers.to_unicode_dict().items()},
            status=response.status,
            fetched_at=to_datetime(fetched_at) if fetched_at is not None else None,
            locale=self.site.locale,
            context=response.meta.get("context") or {},
        )

    def request(self, link: Link, page_url: str) -> Request | None:
        """A link as a request; None, counted by reason, when it is not followed."""
        try:
            url = follow(link, page_url, self.site, self.base)
        except NotFollowed as error:
            level = logging.WARNING if error.reason == "invalid" else logging.DEBUG
            self.logger.log(level, "%s: %s", page_url, error)
            self._count(f"links/{error.reason}")
            return None
        meta = {"page_type": link.page_type, "context": dict(link.context)}
        return Request(url, callback=self.parse, priority=link.priority, meta=meta)

    def _count(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(name, count)
