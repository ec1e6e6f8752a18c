"""What a crawl goes by when it decides on an address: site card and today's parsers, as the store's rule takes them."""

from scraper.parser import parsers_of
from scraper.sites import Site
from scraper.store.crawls import Crawl
from scraper.store.visit import CrawlRules


def rules_of(site: Site, crawl: Crawl) -> CrawlRules:
    """The rules of a crawl of the site."""
    return CrawlRules(
        site_id=crawl.site_id,
        crawl_id=crawl.id,
        started_at=crawl.started_at,
        fresh=crawl.fresh,
        refresh={name: page.refresh for name, page in site.pages.items()},
        versions={name: parser.version for name, parser in parsers_of(site).items()},
    )
