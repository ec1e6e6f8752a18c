"""The site card of books.toscrape.com: 1,000 books on 50 listing pages, a shop made to be scraped."""

from datetime import timedelta

from scraper.sites import PageType, Promises, Site

SITE = Site(
    name="books",
    origin="https://books.toscrape.com/",
    hosts=("books.toscrape.com",),
    every=timedelta(days=1),
    resume_within=timedelta(hours=12),
    locale="en-GB",
    tier="plain",
    pages={
        "listing": PageType(parser="spiders.books.parsers.listing", refresh="every_crawl"),
        "book": PageType(parser="spiders.books.parsers.book", refresh=timedelta(days=1)),
    },
    promises=Promises(records=950, most_blocked=0.02, most_gone=0.2, gone_after=3),
)
