"""What `scrapy status` shows, as frozen values; `as_json` gives the keys that docs/status.md promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scraper.monitor.crawl_status import CrawlStatus
from scraper.store.clock import iso

CRAWLING = ("crawl", "run")


@dataclass(frozen=True)
class RunStatus:
    """A run whose row says that it lives."""

    id: int
    """Its number."""
    stage: str
    """What it does."""
    host: str
    """The machine."""
    pid: int
    """The process."""
    started_at: int
    """Since when."""
    beat_at: int
    """Its last heartbeat."""
    dead: str | None
    """Why it is dead all the same, or None: the next start on its site finds it so."""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "stage": self.stage,
            "host": self.host,
            "pid": self.pid,
            "since": iso(self.started_at),
            "last_beat": iso(self.beat_at),
            "dead": self.dead,
        }


@dataclass(frozen=True)
class ExportStatus:
    """The newest export of a kind in a format."""

    kind: str
    """The records' kind; `*` for a file of several."""
    format: str
    """csv, xlsx ..."""
    file: str
    """Where it stands, or was to stand."""
    result: str
    """building, ready, published, quarantined or failed."""
    records: int | None
    """How many it holds; None before it is whole."""
    at: int
    """When it ended, or began if it has not."""

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "format": self.format,
            "file": self.file,
            "result": self.result,
            "records": self.records,
            "at": iso(self.at),
        }


@dataclass(frozen=True)
class SiteStatus:
    """All that is shown of a site."""

    name: str
    """The site."""
    broken: str | None = None
    """Why its folder cannot be used, or None."""
    base: str | None = None
    """The origin it is fetched from instead of its own, or None."""
    crawl: CrawlStatus | None = None
    """Its newest crawl; None when it was never crawled into this database."""
    runs: tuple[RunStatus, ...] = ()
    """Its live runs, oldest first."""
    records: Mapping[str, int] | None = None
    """Live records by kind."""
    promises_broken: tuple[str, ...] = ()
    """A sentence for each promise that the newest crawl broke; only a closed crawl is asked."""
    exports: tuple[ExportStatus, ...] = ()
    """The newest export of each file."""

    @property
    def state(self) -> str:
        """How the site stands, in a word or two."""
        if any(run.stage in CRAWLING and run.dead is None for run in self.runs):
            return "running"
        if self.crawl is None:
            return "broken" if self.broken else "never crawled"
        return self.crawl.crawl.state

    def as_json(self) -> dict[str, Any]:
        return {
            "site": self.name,
            "broken": self.broken,
            "base": self.base,
            "crawl": self.crawl.as_json() if self.crawl else None,
            "runs": [run.as_json() for run in self.runs],
            "records": dict(self.records or {}),
            "promises_broken": list(self.promises_broken),
            "exports": [export.as_json() for export in self.exports],
        }


@dataclass(frozen=True)
class Status:
    """What is shown."""

    database: str
    """The database, without its password."""
    at: int
    """When it was asked, by its clock."""
    sites: tuple[SiteStatus, ...]
    """The sites by name."""

    def as_json(self) -> dict[str, Any]:
        return {"database": self.database, "at": iso(self.at), "sites": [site.as_json() for site in self.sites]}
