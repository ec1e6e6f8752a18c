"""A site's newest crawl as `scrapy status` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from scraper.store.clock import iso
from scraper.store.crawls import Crawl
from scraper.store.failed_pages import FailedPage


@dataclass(frozen=True)
class CrawlStatus:
    """A site's newest crawl."""

    crawl: Crawl
    """Its row."""
    reason: str | None
    """Why it ended as it did, where that is not plain."""
    age: int
    """Seconds since it began."""
    figures: Mapping[str, Any]
    """What it amounts to now."""
    failed: tuple[FailedPage, ...] = ()
    """Addresses in error, a few for each reason."""

    @property
    def left(self) -> int:
        """Addresses still to be done."""
        return sum(self.figures["status"][name] for name in ("pending", "in_progress", "fetched"))

    def as_json(self) -> dict[str, Any]:
        """`discovered` is the sum of the five counts after it, in all and per page type."""
        return {
            "no": self.crawl.no,
            "state": self.crawl.state,
            "reason": self.reason,
            "started_at": iso(self.crawl.started_at),
            "finished_at": None if self.crawl.finished_at is None else iso(self.crawl.finished_at),
            "age_seconds": self.age,
            "discovered": self.figures["discovered"],
            **self.figures["status"],
            "errors": self.figures["reasons"],
            "failed": [asdict(one) for one in self.failed],
            "pages": {
                name: {
                    "discovered": page["discovered"],
                    **page["status"],
                    "errors": page["reasons"],
                    "refused": page["refused"],
                }
                for name, page in self.figures["pages"].items()
            },
        }
