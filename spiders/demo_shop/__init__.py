"""The site card of the demo shop, a small German shop that `make demo` serves on loopback."""

from datetime import timedelta

from scraper.sites import PageType, Promises, Site

SITE = Site(
    name="demo_shop",
    origin="https://shop.example/",
    locale="de-DE",  # 1.299,00 € is one thousand two hundred and ninety-nine
    pages={
        "listing": PageType(parser="spiders.demo_shop.parsers.listing", refresh="every_crawl"),
        "product": PageType(parser="spiders.demo_shop.parsers.product", refresh=timedelta(days=1)),
    },
    promises=Promises(records=48),
)
