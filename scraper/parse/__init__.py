"""Parse. Takes a kept page; gives records, links and the reasons of what is refused.

`select` is what parsers use; with `layers` it imports `scraper.models` and `scraper.errors`, and neither Scrapy,
SQLAlchemy nor Twisted.
"""
