"""A real crawl through the fetch room's part of our settings, in a process of its own: a reactor starts only once.

`crawl(urls, ...)` is what tests call; run as a program this file is the crawl.
"""

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from typing import Any

from scraper import settings as ours
from scraper.settings import PROJECT_DIR

OURS = (
    "DOWNLOADER",
    "DOWNLOAD_HANDLERS",
    "DOWNLOAD_FAIL_ON_DATALOSS",
    "DOWNLOAD_MAXSIZE",
    "RETRY_TIMES",
    "LOG_FORMATTER",
    "REMOTE_CONTROL_ENABLED",
    "TELNETCONSOLE_ENABLED",
    "HTTPPROXY_ENABLED",
)
ROOM = ("scraper.fetch.whole_body.", "scrapy.")
"""Of the middlewares, those that need no database."""


@dataclass(frozen=True)
class Crawled:
    """What the spider saw."""

    pages: dict[str, dict[str, Any]]
    """Each answer by its address: status, body, flags, class, the address that was asked for first."""
    failures: dict[str, list[str]]
    """Each failed request by its address: the error's class and its words."""
    stats: dict[str, Any]
    """Scrapy's stats."""
    log: str
    """What was logged."""


def crawl(*urls: str, base: tuple[str, str] | None = None, **settings: Any) -> Crawled:
    """Fetch the addresses, all at once; `base` is a site's origin and the origin asked instead."""
    told = json.dumps({"urls": urls, "base": base, "settings": settings})
    done = subprocess.run(
        [sys.executable, "-m", "tests.fetch.crawl", told],
        cwd=PROJECT_DIR,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Crawled(**json.loads(done.stdout.splitlines()[-1]), log=done.stderr)


def main(told: dict[str, Any]) -> None:
    """Do the crawl and print what was seen, as one line of JSON."""
    import scrapy
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.exceptions import ScrapyDeprecationWarning

    from scraper.origin import Base

    warnings.simplefilter("error", ScrapyDeprecationWarning)
    pages: dict[str, Any] = {}
    failures: dict[str, Any] = {}

    class Asking(scrapy.Spider):
        name = "asking"
        base = Base(*told["base"]) if told["base"] else None

        async def start(self):
            for url in told["urls"]:
                yield scrapy.Request(url, callback=self.page, errback=self.failed, cb_kwargs={"first": url})

        def page(self, response, first):
            pages[first] = {
                "url": response.url,
                "status": response.status,
                "body": response.body.decode("latin-1"),
                "flags": response.flags,
                "kind": type(response).__name__,
                "refresh": response.headers.get("Refresh", b"").decode(),
                "coding": response.headers.get("Content-Encoding", b"").decode(),
                "latency": response.request.meta["download_latency"],
            }

        def failed(self, failure):
            failures[failure.request.cb_kwargs["first"]] = [failure.type.__name__, str(failure.value)]

    middlewares = {name: place for name, place in ours.DOWNLOADER_MIDDLEWARES.items() if name.startswith(ROOM)}
    process = AsyncCrawlerProcess(
        {
            **{name: getattr(ours, name) for name in OURS},
            "DOWNLOADER_MIDDLEWARES": middlewares,
            "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",  # as in a crawl on the queue
            "DOWNLOAD_DELAY": 0,
            "HTTPERROR_ALLOW_ALL": True,
            "LOG_LEVEL": "INFO",
            **told["settings"],
        }
    )
    crawler = process.create_crawler(Asking)
    process.crawl(crawler)
    process.start()
    print(json.dumps({"pages": pages, "failures": failures, "stats": crawler.stats.get_stats()}, default=str))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
