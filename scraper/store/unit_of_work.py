"""Writes what pages gave: records, links and the page's own status together, a group of pages in one transaction.

The order of statements keeps workers out of each other's way (docs/queue.md tells why): read without locks, lock own
rows, re-seen rows, missing rows, links, records, drops, own ends; every statement's rows sorted.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from scraper.store import crawls, fetches, page_rows
from scraper.store.aliases import write_alias
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.drops import Dropped, add_drops, clear_drops
from scraper.store.links import Put, known_by_fp, put, replace_links, see, stored_targets
from scraper.store.page_end import NewDrop, PageEnd
from scraper.store.records import Source, write_records
from scraper.store.runs import is_live
from scraper.store.visit import CrawlRules
from scraper.store.yields import see_records_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Work:
    """For whom units are written."""

    rules: CrawlRules
    """The site and its crawl."""
    run_id: int
    """The run that writes; a lost one writes nothing."""
    code: str
    """The version of the project."""
    claimed: bool = True
    """Whether the run must hold the rows (a crawl), or the rows must be free and still at the answer read (reparse)."""


@dataclass(frozen=True)
class Written:
    """What a page's unit of work changed."""

    links_new: int = 0
    """Addresses the queue did not know; counted for the whole group, at its first page."""
    links_visited: int = 0
    """Known addresses put back into the queue; counted likewise."""
    conflicts: int = 0
    """Records another page owns."""


def commit(database: Database, work: Work, ends: Sequence[PageEnd]) -> list[Written | None]:
    """Write these pages in one transaction; None for a page whose claim was lost, of which nothing was written."""
    written = database.transact(lambda connection: _commit(database, connection, work, ends))
    cut_point("unit:written")
    return written


def _commit(database: Database, connection: Connection, work: Work, ends: Sequence[PageEnd]) -> list[Written | None]:
    rules = work.rules
    wanted = [link for end in ends for link in end.links or ()]
    before = known_by_fp(connection, rules.site_id, [link.fp for link in wanted])
    targets = stored_targets(connection, [end.url_id for end in ends if end.effect == "kept"], rules.crawl_id)

    if not work.claimed and not crawls.lock_newest(connection, rules.site_id, rules.crawl_id):
        return [None] * len(ends)
    rows = page_rows.lock(connection, work.run_id if work.claimed else None, ends)
    if not is_live(connection, work.run_id):
        rows = {}
    held = [end for end in sorted(ends, key=lambda end: end.url_id) if end.url_id in rows]
    now = database.now(connection)

    parsed = [end for end in held if end.effect == "parsed"]
    found = [(link, end.url_id) for end in parsed for link in end.links or ()]
    placed = put(database, connection, rules, found, before, own=rows if work.claimed else ())
    see(connection, rules, [row for row in targets if row.id not in rows], {}, placed)
    kept = [end.url_id for end in held if end.effect == "kept"]
    if not work.claimed and (placed.new or placed.visit):
        # Pages found outside of a crawl belong to the newest one, so it is open again until they are done.
        crawls.reopen(connection, crawls.find(connection, rules.crawl_id))
    see_records_of(connection, [*kept, *placed.fresh], rules.crawl_id, now)
    cut_point("unit:inside")

    replace_links(
        database,
        connection,
        {
            end.url_id: {placed.known[link.fp].id for link in end.links if link.fp in placed.known}
            for end in parsed
            if end.links is not None
        },
    )
    crawl_ids = {number: row["crawl_id"] for number, row in rows.items()}
    conflicts = write_records(
        database,
        connection,
        {end.url_id: (_source(end, crawl_ids), end.records) for end in parsed},
        site_id=rules.site_id,
        run_id=work.run_id,
        code=work.code,
    )
    read_again = [end for end in held if end.effect == "parsed" or end.drops]
    clear_drops(connection, [end.url_id for end in read_again], now)
    refused = [
        Dropped(end.url_id, crawl_ids[end.url_id], end.body_hash, drop)
        for end in read_again
        for drop in (*end.drops, *conflicts.get(end.url_id, ()), *_other_types(end, placed))
    ]
    add_drops(connection, refused, work.run_id, now)

    fetches.add(connection, [end.gone for end in held if end.gone is not None], now)
    page_rows.end(connection, held, now)
    for end in parsed:
        if end.final is not None:
            write_alias(database, connection, rules, end)
    counted = Written(placed.new, placed.visit)
    return [
        None
        if end.url_id not in rows
        else Written(
            counted.links_new if index == 0 else 0,
            counted.links_visited if index == 0 else 0,
            len(conflicts.get(end.url_id, ())),
        )
        for index, end in enumerate(ends)
    ]


def _source(end: PageEnd, crawl_ids: dict[int, int]) -> Source:
    assert end.fetch_id is not None
    assert end.body_hash is not None
    assert end.parser_version is not None
    return Source(end.url_id, crawl_ids[end.url_id], end.fetch_id, end.body_hash, end.parser_version)


def _other_types(end: PageEnd, placed: Put) -> list[NewDrop]:
    """The links whose address is in the queue as another page type: the first one wins."""
    return [
        NewDrop(
            stage="parse",
            code="page_type",
            reason=f"{link.url} is a link to a {link.page_type} here, but was put first as {known.page_type}",
        )
        for link in {link.fp: link for link in end.links or ()}.values()
        if (known := placed.known.get(link.fp)) and known.page_type != link.page_type
    ]
