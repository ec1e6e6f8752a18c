"""Finds spiders for Scrapy by the folders of `spiders/`: one site is loaded when it is asked for, and no other."""

import logging
from types import ModuleType
from typing import Self, cast

from scrapy import Request, Spider
from scrapy.settings import BaseSettings
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.spider import iter_spider_classes

from scraper.errors import BrokenSite
from scraper.sites import load_module, load_site, site_names

logger = logging.getLogger(__name__)

_Names = list[str]  # the method `list`, which Scrapy asks for, hides the type in the class


class SiteLoader:
    """Scrapy's SPIDER_LOADER_CLASS. Scrapy's own imports every spider at once, so a broken one hides them all."""

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:  # noqa: ARG003 - Scrapy's protocol hands them over
        return cls()

    def list(self) -> _Names:
        """The names of all sites, the broken ones too; nothing is imported."""
        return site_names()

    def load(self, spider_name: str) -> type[Spider]:
        """A site's spider. KeyError when there is no such site (Scrapy's protocol), BrokenSite when it cannot load."""
        if spider_name not in site_names():
            raise KeyError(f"Spider not found: {spider_name}")
        for spider in iter_spider_classes(cast("ModuleType", load_module(f"spiders.{spider_name}.spider"))):
            if spider.name == spider_name:
                return spider
        raise BrokenSite(f"spiders/{spider_name}/spider.py: it must define a Spider with name = {spider_name!r}")

    def find_by_request(self, request: Request) -> _Names:
        """The sites whose card names the request's host or a domain above it; broken sites are named in the log."""
        host = (urlparse_cached(request).hostname or "").lower()
        found = []
        for name in site_names():
            try:
                hosts = load_site(name).hosts
            except BrokenSite as error:
                logger.warning("skipped while looking for the site of %s: %s", request.url, error)
                continue
            if any(host == own.lower() or host.endswith(f".{own.lower()}") for own in hosts):
                found.append(name)
        return found
