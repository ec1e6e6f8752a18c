"""A claimed page while Scrapy works on it: what it gave so far, and whether anything of it is still under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from scrapy import Request

from scraper.models import Record
from scraper.queue.failure import Failure
from scraper.store.fetches import KeptFetch
from scraper.store.page_end import NewDrop
from scraper.store.urls import Claimed, NewUrl


@dataclass(frozen=True)
class Answer:
    """An accepted answer whose body lies on disk, to be entered."""

    http_status: int
    """The HTTP status."""
    headers: dict[str, list[str]]
    """Lower-case name to values."""
    body_hash: bytes | None
    """The body's SHA-256; None for an answer that is not the page (404, 410)."""
    bytes: int
    """The body's length, decompressed."""
    stored_bytes: int
    """The length of its file."""
    final_url: str | None
    """Where redirects led, when they did."""
    seconds: float
    """From the request to the head of the answer, without the wait for the host's turn."""


class Desk(Protocol):
    """What a page in flight needs of its worker."""

    async def enter(self, page: InFlight, answer: Answer) -> None:
        """Enter the answer in the database; raises ClaimLost when the run does not hold the page any more."""

    async def kept(self, page: InFlight) -> KeptFetch | None:
        """The page's kept answer."""


@dataclass(eq=False)
class InFlight:
    """Lives from the claim until its unit of work is written; the requests of the page carry it in their meta."""

    row: Claimed
    """The row as it was claimed."""
    desk: Desk
    """Where its answer is entered, and found again."""
    asked: Request | None = None
    """What was asked for it."""
    park: bool = False
    """Whether its answer is kept for later and not parsed now."""
    serve_kept: bool = False
    """Whether the kept body answers, without a request."""
    fetch_id: int | None = None
    """The accepted answer."""
    fetched_at: int | None = None
    """When it came, in microseconds."""
    body_hash: bytes | None = None
    """Its body."""
    gone: Answer | None = None
    """The answer that there is no such page; entered with the page's end, so that a kill between doubles nothing."""
    parser_version: str | None = None
    """The parser that reads it, once it does."""
    answered: bool = False
    """Whether a response reached the spider."""
    ended: bool = False
    """Whether the output of its callback has ended."""
    waiting: int = 0
    """Items that are still in the pipelines."""
    closed: bool = False
    """Whether its end was handed to the writer."""
    released: bool = False
    """Whether it goes back to the queue as it was."""
    settled: str | None = None
    """`kept`, `parked` or `released` when no parsing is needed."""
    links: list[NewUrl] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    drops: list[NewDrop] = field(default_factory=list)
    final: NewUrl | None = None
    """Where redirects led to, when that is another address."""
    failure: Failure | None = None
    """The first thing that went wrong with the whole page."""

    def fail(self, failure: Failure) -> None:
        """Keep the first failure; what follows from it is no news."""
        self.failure = self.failure or failure
