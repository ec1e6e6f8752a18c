"""The demo shop's spider: nothing of its own, the site card says it all."""

from scraper.discover.spider import SiteSpider
from spiders.demo_shop import SITE


class DemoShopSpider(SiteSpider):
    """Walks the shop from its front page."""

    site = SITE
