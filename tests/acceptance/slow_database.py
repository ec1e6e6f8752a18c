"""A Scrapy extension that makes every statement and commit on the database take 20 ms, in the thread that runs it."""

import time
from typing import Any

from scrapy.crawler import Crawler
from sqlalchemy import Engine, event

LATENCY = 0.02


class SlowDatabase:
    """Load it by the setting EXTENSIONS; what it does, it does from the moment the crawler is made."""

    def __init__(self) -> None:
        for name in ("before_cursor_execute", "commit"):
            event.listen(Engine, name, self._wait)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SlowDatabase":
        return cls()

    @staticmethod
    def _wait(*_: Any) -> None:
        time.sleep(LATENCY)
