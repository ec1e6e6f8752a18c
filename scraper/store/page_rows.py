"""Speaks to a page's own row in `urls`: it is locked before its unit of work, and ended with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, RowMapping, select, update

from scraper.store.page_end import PageEnd
from scraper.store.tables import urls


def lock(connection: Connection, holder: int | None, ends: Sequence[PageEnd]) -> dict[int, RowMapping]:
    """The pages' rows, locked in order of their number, without those that must not be written.

    `holder` is the run that must hold them; None (reparse) means that nobody may hold them, and that they must still be
    at the answer that was read.
    """
    query = select(urls.c.id, urls.c.crawl_id, urls.c.fetch_id, urls.c.due, urls.c.attempts).where(
        urls.c.id.in_(sorted(end.url_id for end in ends))
    )
    if holder is not None:
        query = query.where(urls.c.claimed_by == holder, urls.c.status.in_(("in_progress", "fetched")))
    else:
        query = query.where(urls.c.claimed_by.is_(None), urls.c.status.in_(("parsed", "error")))
    rows = {row["id"]: row for row in connection.execute(query.order_by(urls.c.id).with_for_update()).mappings()}
    if holder is not None:
        return rows
    read = {end.url_id: end.fetch_id for end in ends}
    return {number: row for number, row in rows.items() if row["fetch_id"] == read[number]}


def end(connection: Connection, ends: Iterable[PageEnd], now: int) -> None:
    """Write each page's new status and give its claim back."""
    for one in ends:
        values: dict[str, object] = {"claimed_by": None}
        if one.effect == "put_back":
            values |= {"status": "pending"}
            if one.wait:
                values |= {"due": now + one.wait}
            if one.attempt:
                values |= {"attempts": urls.c.attempts + 1}
            if one.strike:
                values |= {"strikes": urls.c.strikes + 1}
        elif one.reason_code is not None:
            values |= {
                "status": "error",
                "stage": one.stage,
                "reason_code": one.reason_code,
                "reason": (one.reason or one.reason_code)[:2000],
            }
        else:
            values |= {"status": "parsed", "stage": None, "reason_code": None, "reason": None}
        if one.effect == "parsed":
            values |= {
                "parsed_hash": one.body_hash if one.reason_code is None else None,
                "parser_version": one.parser_version,
                "parsed_at": now,
                "final_url": one.final.url if one.final else None,
            }
            if one.links is not None:
                values |= {"links_out": len({link.fp for link in one.links})}
        elif one.effect == "failed" and one.parser_version is not None:
            values |= {"parsed_hash": None, "parser_version": one.parser_version}
        connection.execute(update(urls).where(urls.c.id == one.url_id).values(**values))
