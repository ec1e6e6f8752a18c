"""The queue: the spider middleware that joins the `urls` table to Scrapy, and the life of a run.

Takes a spider's requests and records, gives claimed rows back as requests. May import the store, models, sites.
"""
