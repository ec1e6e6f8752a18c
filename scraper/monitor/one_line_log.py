"""The extension that keeps tracebacks out of the log where the error itself says all that a person needs."""

from __future__ import annotations

import logging

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.log import get_scrapy_root_handler

from scraper.errors import ScraperError

_ROBOTS = "scrapy.downloadermiddlewares.robotstxt"


class OneLineLog(logging.Filter):
    """Scrapy logs every exception of its components with a traceback; one of ours is a line that says what to do.

    An error of any other kind keeps its traceback: it is a fault in somebody's code. A robots.txt that cannot be had is
    no fault in code either; Scrapy asks for the pages all the same.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> OneLineLog:
        extension = cls()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        """Stand before the log. Not sooner: Scrapy makes its handler anew until then."""
        if (handler := get_scrapy_root_handler()) is not None:
            handler.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Mend the record; let each pass."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, ScraperError):
            record.msg, record.args = f"{record.getMessage()}: {error}", None
        elif error is not None and record.name == _ROBOTS:
            record.msg, record.args = f"robots.txt cannot be had, so all is allowed: {record.getMessage()}", None
        else:
            return True
        record.exc_info = record.exc_text = None
        return True
