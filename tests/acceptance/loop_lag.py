"""A Scrapy extension that measures how late the event loop is, and writes it to a file when the spider closes."""

import asyncio
import json
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler

TICK = 0.005


class LoopLag:
    """Wants to be woken every 5 ms, and notes how late it was. A tick that was slept through counts as well, else a
    long pause would count as little as a short one. What the thread waited for a processor is not its own fault, and
    left out where the system tells it: a test machine has other things to do."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lags: list[float] = []
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LoopLag":
        lag = cls(Path(crawler.settings["LOOP_LAG_FILE"]))
        crawler.signals.connect(lag.begin, signals.spider_opened)
        crawler.signals.connect(lag.write, signals.spider_closed)
        return lag

    def begin(self) -> None:
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        due, waited = loop.time() + TICK, waited_for_a_processor()
        while True:
            await asyncio.sleep(max(0.0, due - loop.time()))
            now, before, waited = loop.time(), waited, waited_for_a_processor()
            while due <= now:
                self.lags.append(max(0.0, now - due - (waited - before)))
                due += TICK

    def write(self) -> None:
        assert self._task is not None
        self._task.cancel()
        self.file.write_text(json.dumps(self.lags), encoding="utf-8")


def waited_for_a_processor() -> float:
    """Seconds this thread could have run and was not let, since it began; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
