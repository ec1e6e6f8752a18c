"""Speaks to a page's own row in `urls`: it is locked before its unit of work, and ended with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, RowMapping, bindparam, select, update

from scraper.store.page_end import PageEnd
from scraper.store.tables import urls

_COUNTERS = ("attempts", "strikes")


def lock(connection: Connection, holder: int | None, ends: Sequence[PageEnd]) -> dict[int, RowMapping]:
    """The pages' rows, locked in order of their number, without those that must not be written.

    `holder` is the run that must hold them; None (reparse) means that nobody may hold them, and that they must still be
    at the answer that was read.
    """
    query = select(urls.c.id, urls.c.crawl_id, urls.c.fetch_id).where(urls.c.id.in_(sorted(end.url_id for end in ends)))
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
    """Write each page's new status and give its claim back; pages that change the same columns share a statement."""
    alike: dict[tuple[str, ...], list[dict[str, object]]] = {}
    for one in ends:
        values = _values(one, now)
        alike.setdefault(tuple(values), []).append({"row": one.url_id, **{f"new_{key}": values[key] for key in values}})
    for names, rows in alike.items():
        changed: dict[str, object] = {
            name: urls.c[name] + bindparam(f"new_{name}") if name in _COUNTERS else bindparam(f"new_{name}")
            for name in names
        }
        connection.execute(update(urls).where(urls.c.id == bindparam("row")).values(changed), rows)


def _values(one: PageEnd, now: int) -> dict[str, object]:
    """The columns that the end of a page changes; counters with what is added to them."""
    values: dict[str, object] = {"claimed_by": None}
    if one.effect == "put_back":
        values |= {"status": "pending"}
        if one.wait:
            values |= {"due": now + one.wait}
        if one.attempt:
            values |= {"attempts": 1}
        if one.strike:
            values |= {"strikes": 1}
        return values
    if one.reason_code is not None:
        reason = (one.reason or one.reason_code)[:2000]
        values |= {"status": "error", "stage": one.stage, "reason_code": one.reason_code, "reason": reason}
    else:
        values |= {"status": "parsed", "stage": None, "reason_code": None, "reason": None}
    if one.effect == "parsed":
        values |= {
            "parsed_hash": one.body_hash if one.reason_code is None else None,
            "parser_version": one.parser_version,
            "parsed_at": now,
        }
        if one.links is not None:
            values |= {
                "links_out": len({link.fp for link in one.links}),
                "final_url": one.final.url if one.final else None,
            }
    elif one.effect == "failed" and one.parser_version is not None:
        values |= {"parsed_hash": None, "parser_version": one.parser_version}
    return values
