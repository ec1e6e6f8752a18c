"""The rule that tells what an exception means for a page: which stage, which code, and whether to try again. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from scraper.errors import ClaimLost


@dataclass(frozen=True)
class Failure:
    """Why a page is not parsed."""

    stage: str
    """fetch, scope, parse, validate, store or run."""
    code: str
    """One of the closed list in docs/queue.md."""
    reason: str
    """What happened, in one line."""
    again: bool = False
    """Whether the page goes back to the queue for another claim, a bounded number of times."""


def failed_fetch(error: BaseException) -> Failure:
    """What a failed download, or an answer that is not the page, means."""
    words = one_line(error)
    if isinstance(error, HttpError):
        status = error.response.status
        if status in (404, 410):
            return Failure("fetch", "gone", f"HTTP {status}")
        return Failure("fetch", "network", f"HTTP {status}", again=True)
    if isinstance(error, DownloadCancelledError):  # too large: it will be as large the next time
        return Failure("fetch", "network", words)
    if isinstance(error, ClaimLost):
        return Failure("run", "lost", words)
    if isinstance(error, IgnoreRequest):
        return _ignored(words)
    return Failure("fetch", "network", words, again=True)


def _ignored(words: str) -> Failure:
    """IgnoreRequest carries no code, so its message is what tells (Scrapy 2.19: robotstxt, offsite, redirect)."""
    lower = words.lower()
    if "robots.txt" in lower:
        return Failure("scope", "robots", words)
    if "offsite" in lower:
        return Failure("scope", "scope", words)
    return Failure("fetch", "network", words)


def failed_parse(error: BaseException) -> Failure:
    """What an exception of a parser means: the page stays as it was, until the parser changes."""
    return Failure("parse", "parse", one_line(error))


def one_line(error: BaseException) -> str:
    """The exception in one line of at most 500 characters."""
    words = " ".join(str(error).split() or str(error.__cause__ or "").split())
    name = type(error).__name__
    return (words if words and name in ("SelectorMiss", "IgnoreRequest") else f"{name}: {words}".rstrip(": "))[:500]
