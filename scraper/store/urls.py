"""Speaks to `urls`, the queue: addresses are put, claimed by compare-and-set, and given back."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, exists, func, or_, select, update

from scraper.store.database import Database
from scraper.store.tables import fetches, runs, sites, urls

SOLO_STRIKES = 3
"""A row that so many runs died with is claimed alone, so that it can be told from its neighbours."""
MOST_STRIKES = 8
"""A row that so many runs died with ends as error (`killer`)."""
READY = 1_000_000
"""`due` of a ready row is its priority, negated, and at most this; of a row put off it is the time it waits for."""


@dataclass(frozen=True)
class NewUrl:
    """An address to be put into the queue."""

    fp: bytes
    """Its identity, 20 bytes."""
    authority: str
    """The host it will be asked from, with the port when it is not the scheme's own."""
    page_type: str
    """What will parse it."""
    url: str
    """The address exactly as it will be sent."""
    request: str | None = None
    """What makes it more than a plain GET, as JSON."""
    context: str | None = None
    """What the link handed over, as canonical JSON."""
    priority: int = 0
    """Higher goes first."""
    depth: int = 0
    """Links between it and a seed."""
    generation: int = 0
    """How often a page has asked for itself again."""
    refusal: str | None = None
    """Why the request cannot be kept exactly; its row is an error (stage `scope`, code `link`) from the start."""


@dataclass(frozen=True)
class Claimed:
    """A row that this run holds, with all that decides what is to be done with it."""

    id: int
    url: str
    page_type: str
    host_id: int
    request: str | None
    context: str | None
    depth: int
    generation: int
    parent_url: str | None
    """The page it was found on."""
    due: int
    attempts: int
    strikes: int
    fetch_id: int | None
    """The last accepted answer."""
    fetched_at: int | None
    fetched_crawl_id: int | None
    body_hash: bytes | None
    """The body of that answer."""
    parsed_hash: bytes | None
    """The body that was parsed without a fault, if it was."""
    parser_version: str | None


@dataclass(frozen=True)
class Claim:
    """What a run asks for."""

    run_id: int
    """The run; it must be live."""
    crawl_id: int
    """The crawl it works on."""
    host_id: int
    """The host to be asked."""
    count: int
    """At most so many rows."""
    solo: bool = False
    """Whether a row that runs died with may be taken; then it must be the only one."""
    page_types: tuple[str, ...] | None = None
    """Only these page types; None for all."""
    unfetched: bool = False
    """Only rows that have no answer of this crawl yet."""


def claim(database: Database, connection: Connection, wanted: Claim) -> list[Claimed]:
    """Take up to `count` rows for the run, in order of `due`; only rows that carry its number afterwards count."""
    now = database.now(connection)
    ready = [
        urls.c.crawl_id == wanted.crawl_id,
        urls.c.status == "pending",
        urls.c.host_id == wanted.host_id,
        urls.c.due <= now,
    ]
    if wanted.page_types is not None:
        ready.append(urls.c.page_type.in_(wanted.page_types))
    if wanted.unfetched:
        ready.append(or_(urls.c.fetched_crawl_id.is_(None), urls.c.fetched_crawl_id != wanted.crawl_id))
    ready.append(urls.c.strikes >= SOLO_STRIKES if wanted.solo else urls.c.strikes < SOLO_STRIKES)
    query = select(urls.c.id).where(and_(*ready)).order_by(urls.c.due, urls.c.id).limit(wanted.count)
    chosen = list(connection.execute(query).scalars())
    if not chosen:
        return []
    connection.execute(
        update(urls)
        .where(urls.c.id.in_(chosen), urls.c.status == "pending")
        .where(exists().where(runs.c.id == wanted.run_id, runs.c.state == "live"))
        .where(~exists().where(sites.c.id == urls.c.site_id, sites.c.paused_at.is_not(None)))
        .values(status="in_progress", claimed_by=wanted.run_id, claimed_at=now)
    )
    parent = urls.alias("parent")
    held = (
        select(urls, fetches.c.body_hash, parent.c.url.label("parent_url"))
        .outerjoin(fetches, fetches.c.id == urls.c.fetch_id)
        .outerjoin(parent, parent.c.id == urls.c.discovered_from)
    )
    rows = connection.execute(
        held.where(urls.c.id.in_(chosen), urls.c.claimed_by == wanted.run_id, urls.c.status == "in_progress")
    ).mappings()
    names = Claimed.__dataclass_fields__
    claimed = [Claimed(**{name: row[name] for name in names}) for row in rows]
    return sorted(claimed, key=lambda row: (row.due, row.id))


def waiting(connection: Connection, crawl_id: int, now: int) -> Waiting:
    """What is left of the crawl that nobody can claim now. A row put off until a time that is past is not put off."""
    open_rows = select(func.count(), func.min(urls.c.due)).where(urls.c.crawl_id == crawl_id)
    later, next_due = connection.execute(
        open_rows.where(urls.c.status == "pending", urls.c.due > max(READY, now))
    ).one()
    leased = connection.execute(
        select(func.count()).where(urls.c.crawl_id == crawl_id, urls.c.status.in_(("in_progress", "fetched")))
    ).scalar_one()
    pending = connection.execute(
        select(func.count()).where(urls.c.crawl_id == crawl_id, urls.c.status == "pending")
    ).scalar_one()
    return Waiting(leased=leased, pending=pending, later=later, next_due=next_due)


@dataclass(frozen=True)
class Waiting:
    """Open rows of a crawl, seen when nothing could be claimed."""

    leased: int
    """Rows that runs hold."""
    pending: int
    """Rows that wait, ready or put off."""
    later: int
    """Rows that were put off, or due at a time."""
    next_due: int | None
    """The earliest time one of them waits for."""


def release(connection: Connection, run_id: int, crawl_id: int) -> int:
    """Give claimed rows back to the queue, all of the run's; gives how many."""
    query = update(urls).where(urls.c.claimed_by == run_id, urls.c.status.in_(("in_progress", "fetched")))
    query = query.where(urls.c.crawl_id == crawl_id)
    return connection.execute(query.values(status="pending", claimed_by=None)).rowcount


def end_killers(connection: Connection, crawl_id: int) -> int:
    """End rows that runs died with again and again; gives how many."""
    return connection.execute(
        update(urls)
        .where(urls.c.crawl_id == crawl_id, urls.c.status == "pending", urls.c.strikes >= MOST_STRIKES)
        .values(
            status="error",
            stage="run",
            reason_code="killer",
            reason=f"{MOST_STRIKES} runs died while they held this page; look at it with: scrapy page",
        )
    ).rowcount
