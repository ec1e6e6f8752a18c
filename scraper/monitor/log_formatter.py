"""How the log reads: one line for each thing that happened, with place and reason, and no page or record in it."""

from typing import Any

from scrapy import Spider
from scrapy import logformatter as scrapy_log
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure

from scraper.models import Record, Refused

_LONGEST = 500
"""Characters of a reason; what a selector found can be a whole page."""


class LogFormatter(scrapy_log.LogFormatter):
    """Scrapy's LOG_FORMATTER. Scrapy's own prints every item that is scraped, dropped or failed, over many lines."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """`books: book scraped from https://…` (debug)."""
        line = super().scraped(item, response, spider)
        return _one_line(line, "scraped from", item, response, spider, why=None)

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """`books: book dropped from https://…: price: not an amount`."""
        line = super().dropped(item, exception, response, spider)
        return _one_line(line, "dropped from", item, response, spider, why=_reason(item, exception))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """`books: book failed from https://…: OperationalError: …`; Scrapy adds the traceback."""
        line = super().item_error(item, exception, response, spider)
        return _one_line(line, "failed from", item, response, spider, why=f"{type(exception).__name__}: {exception}")


def _one_line(
    line: LogFormatterResult, what: str, item: Any, response: Response | Failure | None, spider: Spider, why: str | None
) -> LogFormatterResult:
    place = response.url if isinstance(response, Response) else "no answer"
    args = {"site": spider.name, "kind": _kind(item), "what": what, "place": place}
    line["msg"] = "%(site)s: %(kind)s %(what)s %(place)s"
    if why is not None:
        line["msg"] += ": %(why)s"
        args["why"] = " ".join(why.split())[:_LONGEST]
    line["args"] = args
    return line


def _kind(item: Any) -> str:
    if isinstance(item, Refused):
        return item.model.kind
    return item.kind if isinstance(item, Record) else type(item).__name__


def _reason(item: Any, exception: BaseException) -> str:
    """The refused fields with their reasons, or what the pipeline said."""
    if isinstance(item, Refused):
        return "; ".join(f"{field}: {reason}" for field, reason in item.reasons)
    return str(exception)
