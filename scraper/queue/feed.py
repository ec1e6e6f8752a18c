"""What a run feeds on, and what a look at the queue found: the frozen values of the feeder."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scraper.crawl_arguments import Only
from scraper.store.crawls import Crawl, Finders
from scraper.store.urls import Waiting


@dataclass(frozen=True)
class Feed:
    """What a run feeds on."""

    run_id: int
    """The run."""
    crawl: Crawl
    """The crawl."""
    window: int
    """Pages in flight at most."""
    at_once: int
    """Requests to one host at the same time, at most."""
    delay: float
    """Seconds between two requests to a host; 0 for none."""
    only: Only | None
    """The part of the work that is wanted; None for all."""
    limit: int | None
    """Pages to be claimed at most; None for no limit."""
    finders: Finders
    """The page types that only yield links."""
    max_wait: float
    """Seconds to wait for rows that were put off, before the run ends as `waiting`."""

    def room_per_host(self, latency: float) -> int:
        """Rows of one host worth holding: what it can answer soon, so that the rest is free for other workers."""
        if not self.delay:
            return min(self.window, 2 * self.at_once)
        return max(2, min(self.window, math.ceil(2 * latency / self.delay) + 2))


@dataclass(frozen=True)
class Look:
    """What a look at the queue found, when nothing could be claimed."""

    done: bool
    """Whether nothing of the crawl is left; it is closed then."""
    closed_before: bool
    """Whether another run closed it."""
    seeded: bool
    """Whether all seeds are in."""
    waiting: Waiting
    """The open rows."""
    now: int
    """The database's time."""
