"""The rule that makes of a page in flight the value its unit of work is written from. Pure but for the jitter."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from scraper.models import Record
from scraper.queue.in_flight import InFlight
from scraper.schema_version import schema_version
from scraper.store.canonical import canonical, digest
from scraper.store.page_end import NewDrop, NewRecord, PageEnd
from scraper.store.urls import NewUrl


@dataclass(frozen=True)
class Patience:
    """How often a page is claimed again after the network failed, and after which pause."""

    attempts: int = 3
    """Claims in all."""
    backoff: float = 30.0
    """Seconds before the second claim; doubled for each further one, jittered by half."""

    def wait(self, attempts_before: int) -> int | None:
        """Microseconds until the next claim, or None when there is none."""
        if attempts_before + 1 >= self.attempts:
            return None
        spread = random.uniform(0.5, 1.5)  # noqa: S311 - spreads requests, guards nothing
        return max(1, int(self.backoff * 2**attempts_before * spread * 1_000_000))


def page_end(page: InFlight, patience: Patience) -> PageEnd:
    """How the page ended."""
    row, failure = page.row, page.failure
    if page.released or page.settled in ("parked", "released"):
        return PageEnd(row.id, "put_back")
    if page.settled == "kept":
        return PageEnd(row.id, "kept")
    if failure is not None and failure.again and (wait := patience.wait(row.attempts)) is not None:
        return PageEnd(row.id, "put_back", wait=wait, attempt=True)
    if failure is not None and failure.code == "lost":
        return _lost(page, failure.reason)
    read = Read(row.id, page.fetch_id, page.body_hash, page.parser_version)
    if failure is not None and failure.stage == "parse":
        return unreadable(read, failure.reason, page.drops)
    if failure is not None:
        return PageEnd(row.id, "failed", stage=failure.stage, reason_code=failure.code, reason=failure.reason)
    if (
        page.fetch_id is None
    ):  # let through by HTTPERROR_ALLOWED_CODES or handle_httpstatus_list, and no page all the same
        reason = "an answer that is not the page was let through to the parser; it is not kept"
        return PageEnd(row.id, "failed", stage="fetch", reason_code="network", reason=reason)
    return parsed(read, page.links, page.records, page.drops, page.final)


@dataclass(frozen=True)
class Read:
    """What a parser was given."""

    url_id: int
    """The page."""
    fetch_id: int | None
    """Its answer."""
    body_hash: bytes | None
    """The answer's body."""
    parser_version: str | None
    """The parser."""


def parsed(
    read: Read,
    links: Sequence[NewUrl] | None,
    records: Sequence[Record],
    drops: Sequence[NewDrop],
    final: NewUrl | None,
) -> PageEnd:
    """The end of a page whose parser came to its end; refused records make it an error and cost only themselves."""
    refused = [drop for drop in drops if drop.code == "validate"]
    return PageEnd(
        read.url_id,
        "parsed",
        links=None if links is None else tuple(links),
        records=tuple(new_record(record) for record in records),
        drops=tuple(drops),
        stage="validate" if refused else None,
        reason_code="validate" if refused else None,
        reason=summary(refused) if refused else None,
        fetch_id=read.fetch_id,
        body_hash=read.body_hash,
        parser_version=read.parser_version,
        final=final,
    )


def unreadable(read: Read, reason: str, drops: Sequence[NewDrop]) -> PageEnd:
    """The end of a page whose parser raised: nothing it gave before is kept, and what was kept stays."""
    named = tuple(drop for drop in drops if drop.stage == "parse")
    return PageEnd(
        read.url_id,
        "failed",
        drops=named or (NewDrop("parse", "parse", reason),),
        stage="parse",
        reason_code="parse",
        reason=reason,
        fetch_id=read.fetch_id,
        body_hash=read.body_hash,
        parser_version=read.parser_version,
    )


def _lost(page: InFlight, reason: str) -> PageEnd:
    """A request that vanished inside the process is tried again; the third time it is an error."""
    if page.row.strikes < 2:
        return PageEnd(page.row.id, "put_back", strike=True)
    return PageEnd(page.row.id, "failed", stage="run", reason_code="lost", reason=reason)


def new_record(record: Record) -> NewRecord:
    """A record ready to be compared with its current version."""
    values = record.model_dump(mode="python")
    key, data = canonical([values[name] for name in record.key]), canonical(values)
    return NewRecord(record.kind, key, digest(key), data, digest(data), schema_version(type(record)))


def summary(drops: list[NewDrop]) -> str:
    """The refused fields in one line, the first three with their reasons."""
    named = "; ".join(f"{drop.field}: {drop.reason}" for drop in drops[:3])
    return named if len(drops) <= 3 else f"{named}; and {len(drops) - 3} more"
