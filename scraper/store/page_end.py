"""How a claimed page ended: the frozen value from which its unit of work is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scraper.store.fetches import NewFetch
from scraper.store.urls import NewUrl

Effect = Literal["parsed", "kept", "failed", "put_back"]


@dataclass(frozen=True)
class NewRecord:
    """A valid record of a page, ready to be compared with its current version."""

    kind: str
    """The record's kind."""
    key: str
    """Its key, as canonical JSON."""
    key_hash: bytes
    """SHA-256 of the key."""
    data: str
    """All its fields, as canonical JSON."""
    data_hash: bytes
    """SHA-256 of the data."""
    schema_version: str
    """The version of its model."""


@dataclass(frozen=True)
class NewDrop:
    """A page, or a record of it, refused for one reason."""

    stage: str
    """parse or validate."""
    code: str
    """parse, validate, conflict or page_type."""
    reason: str
    """What was wrong, with the value that was given."""
    kind: str | None = None
    """The refused record's kind, if it came so far."""
    field: str | None = None
    """The field that was refused, if one can be named."""


@dataclass(frozen=True)
class PageEnd:
    """What one claimed page gave. It is written whole, in one transaction, or not at all."""

    url_id: int
    """The row."""
    effect: Effect
    """parsed: links and records replace the old; kept: the old are seen again; failed: they stay; put_back: waits."""
    links: tuple[NewUrl, ...] | None = ()
    """The links it gave, in order; None leaves the stored ones alone."""
    records: tuple[NewRecord, ...] = ()
    """The valid records it gave."""
    drops: tuple[NewDrop, ...] = ()
    """What was refused of it."""
    stage: str | None = None
    """Of an error: where it happened (fetch, scope, parse, validate, store, run)."""
    reason_code: str | None = None
    """Of an error: one of the closed list in docs/queue.md."""
    reason: str | None = None
    """Of an error: what happened, in one line."""
    fetch_id: int | None = None
    """The answer it was parsed from."""
    body_hash: bytes | None = None
    """The body of that answer."""
    parser_version: str | None = None
    """The parser that read it."""
    final: NewUrl | None = None
    """Where redirects led to, when that is another address."""
    gone: NewFetch | None = None
    """The answer that there is no such page."""
    wait: int = 0
    """Of put_back: microseconds before it may be claimed again."""
    attempt: bool = False
    """Of put_back: whether it counts as a failed attempt."""
    strike: bool = False
    """Of put_back: whether the page vanished inside the process."""
