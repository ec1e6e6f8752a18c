"""Scrapy's downloader, mended: the limit of requests per host also holds when there is no delay.

Scrapy 2.19 starts every queued request of a host as an asyncio task, and counts it as under way only when the task
first runs; so one look at the queue releases all of it (limit 1: 15 in flight). Here it counts from when it is chosen.
The test `test_scrapy_still_needs_mending` turns red when this file may go.
"""

from collections.abc import Coroutine
from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.core.downloader import Slot
from scrapy.http import Response
from twisted.internet.defer import Deferred


class Downloader(ScrapyDownloader):
    """Takes requests and gives responses, never more per host at once than CONCURRENT_REQUESTS_PER_DOMAIN."""

    def _wait_for_download(
        self, slot: Slot, request: Request, queue_dfd: "Deferred[Response]"
    ) -> Coroutine[Any, Any, None]:
        slot.transferring.add(request)  # a set: the parent adds it again, and removes it when the answer is there
        return super()._wait_for_download(slot, request, queue_dfd)
