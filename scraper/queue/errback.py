"""Stands before the spider's errback: after a failed download Scrapy calls no spider middleware, only this."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any, Protocol

from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.misc import arg_to_iter
from twisted.python.failure import Failure as Trouble

from scraper.errors import CacheProblem, DatabaseProblem, ScraperError
from scraper.queue.failure import failed_fetch
from scraper.queue.in_flight import InFlight
from scraper.queue.request_text import PAGE
from scraper.queue.settled import Settled


class Hooks(Protocol):
    """What it needs of the queue's middleware."""

    def end(self, page: InFlight) -> None:
        """The page's output has ended."""

    def give_up(self, error: ScraperError) -> None:
        """The run must stop."""

    def process_spider_output(self, response: Any, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Where a callback's output goes through."""


class Errback:
    """Records why the page failed, lets the spider's own errback work, and sends its output the usual way."""

    def __init__(self, hooks: Hooks, original: Any) -> None:
        self.hooks = hooks
        self.original = original

    async def __call__(self, failure: Trouble) -> AsyncIterator[Any] | None:
        page = failure.request.meta[PAGE]  # type: ignore[attr-defined]  # Scrapy sets it
        error = failure.value
        if isinstance(error, Settled):
            page.settled = error.how
            self.hooks.end(page)
            return None
        if isinstance(error, CacheProblem | DatabaseProblem):
            page.released = True
            self.hooks.give_up(error)
            self.hooks.end(page)
            return None
        assert error is not None
        page.fail(failed_fetch(error))
        if self.original is None:
            if not page.answered:
                self.hooks.end(page)
            return None
        try:
            output = self.original(failure)
            output = await output if inspect.isawaitable(output) else output
            if isinstance(output, Trouble):
                output.raiseException()
        except BaseException:
            if not page.answered:  # else the exception comes to process_spider_exception
                self.hooks.end(page)
            raise
        given = output if hasattr(output, "__aiter__") else as_async_generator(arg_to_iter(output))
        return given if page.answered else self.hooks.process_spider_output(failure, given)
