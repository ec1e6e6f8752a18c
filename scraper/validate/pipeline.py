"""The item pipeline that lets only valid records through."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector

from scraper.models import Record
from scraper.validate.record_of import record_of


class ValidatePipeline:
    """Any item in, a record out; what the model refuses is a `RecordRefused` with a reason per field."""

    def __init__(self, models: tuple[type[Record], ...], stats: StatsCollector) -> None:
        self.models = models
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ValidatePipeline:
        """For the spiders of a site folder; others keep their items as they are."""
        parsers = getattr(crawler.spider, "parsers", None)
        if parsers is None:
            raise NotConfigured
        assert crawler.stats is not None
        models = dict.fromkeys(model for parser in parsers.values() for model in parser.models)
        return cls(tuple(models), crawler.stats)

    def process_item(self, item: Any) -> Record:
        """The valid record of an item."""
        try:
            record = record_of(item, self.models)
        except Exception:
            self.stats.inc_value("validate/refused")
            raise
        self.stats.inc_value("validate/valid")
        return record
