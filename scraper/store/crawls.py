"""Speaks to `crawls`: a pass over a site is opened, joined, resumed, seeded, closed, and its figures are frozen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, exists, func, or_, select, update

from scraper.store.canonical import canonical
from scraper.store.clock import micros_of
from scraper.store.database import Database
from scraper.store.figures import crawl_figures
from scraper.store.tables import crawls, runs, urls

OPEN_STATUSES = ("pending", "in_progress", "fetched")


@dataclass(frozen=True)
class Crawl:
    """One pass over a site, as its row stands."""

    id: int
    """Its number in the database."""
    site_id: int
    """The site."""
    no: int
    """Its number within the site, from 1."""
    state: str
    """open, finished, incomplete or abandoned."""
    fresh: bool
    """Whether every page is fetched again, whatever its refresh says."""
    started_at: int
    """When it began; what `refresh` is counted from, so that a resumed crawl answers the same."""
    seeded_at: int | None
    """When all seeds were in."""
    finished_at: int | None
    """When it was closed."""


_COLUMNS = (
    crawls.c.id,
    crawls.c.site_id,
    crawls.c.no,
    crawls.c.state,
    crawls.c.fresh,
    crawls.c.started_at,
    crawls.c.seeded_at,
    crawls.c.finished_at,
)


def find(connection: Connection, crawl_id: int) -> Crawl:
    """The crawl of that number."""
    return Crawl(**connection.execute(select(*_COLUMNS).where(crawls.c.id == crawl_id)).mappings().one())


def newest(connection: Connection, site_id: int) -> Crawl | None:
    """The site's newest crawl, whatever its state."""
    query = select(*_COLUMNS).where(crawls.c.site_id == site_id).order_by(crawls.c.no.desc()).limit(1)
    row = connection.execute(query).mappings().first()
    return Crawl(**row) if row else None


def find_open(connection: Connection, site_id: int) -> Crawl | None:
    """The site's open crawl, its row locked; there is at most one, by the schema."""
    query = select(*_COLUMNS).where(crawls.c.open_key == site_id).with_for_update()
    row = connection.execute(query).mappings().first()
    return Crawl(**row) if row else None


def open_new(database: Database, connection: Connection, site_id: int, fresh: bool, code: str) -> Crawl:
    """Begin a crawl. Raises IntegrityError when another process began one at the same moment: join that one."""
    last = connection.execute(select(func.max(crawls.c.no)).where(crawls.c.site_id == site_id)).scalar() or 0
    inserted = connection.execute(
        crawls.insert().values(
            site_id=site_id,
            no=last + 1,
            open_key=site_id,
            state="open",
            fresh=fresh,
            started_at=database.now(connection),
            code_version=code,
        )
    )
    assert inserted.inserted_primary_key is not None
    return find(connection, int(inserted.inserted_primary_key[0]))


def why_not_resumed(crawl: Crawl, now: int, within: timedelta) -> str | None:
    """Why an open crawl is too old to go on with, or None."""
    age = now - crawl.started_at
    if age > micros_of(within):
        return f"cut short and older than resume_within ({timedelta(microseconds=age)} > {within})"
    return None


def lock_for_seeding(connection: Connection, crawl_id: int, run_id: int) -> bool:
    """Lock the crawl's row, so that it is not closed while rows are put into it; False when the run may not put any."""
    query = select(crawls.c.open_key, crawls.c.seeder_run_id).where(crawls.c.id == crawl_id).with_for_update()
    row = connection.execute(query).one()
    return row.open_key is not None and row.seeder_run_id == run_id


def lock(connection: Connection, crawl_id: int) -> None:
    """Lock the crawl's row, so that it is not closed while rows are put into it."""
    connection.execute(select(crawls.c.id).where(crawls.c.id == crawl_id).with_for_update()).one()


def lock_newest(connection: Connection, site_id: int, crawl_id: int) -> bool:
    """Lock the crawl's row if it is the site's newest; False when another has begun."""
    query = select(crawls.c.id).where(crawls.c.site_id == site_id).order_by(crawls.c.no.desc()).limit(1)
    return connection.execute(query.with_for_update()).scalar() == crawl_id


def take_seeding(connection: Connection, crawl_id: int, run_id: int) -> bool:
    """Become the run that puts the seeds in; False when they are in, or a live run does it."""
    live = select(runs.c.id).where(runs.c.state == "live")
    changed = connection.execute(
        update(crawls)
        .where(
            crawls.c.id == crawl_id,
            crawls.c.seeded_at.is_(None),
            or_(
                crawls.c.seeder_run_id.is_(None),
                crawls.c.seeder_run_id == run_id,
                crawls.c.seeder_run_id.not_in(live),
            ),
        )
        .values(seeder_run_id=run_id)
    )
    return changed.rowcount == 1


def mark_seeded(database: Database, connection: Connection, crawl_id: int, run_id: int) -> bool:
    """Say that all seeds are in; False when another run has taken the seeding over."""
    changed = connection.execute(
        update(crawls)
        .where(crawls.c.id == crawl_id, crawls.c.seeder_run_id == run_id, crawls.c.seeded_at.is_(None))
        .values(seeded_at=database.now(connection))
    )
    return changed.rowcount == 1


def has_open_rows(connection: Connection, crawl_id: int) -> bool:
    """Whether any url of the crawl is still to be done. One statement, so it reads one snapshot."""
    query = select(exists().where(urls.c.crawl_id == crawl_id, urls.c.status.in_(OPEN_STATUSES)))
    return bool(connection.execute(query).scalar_one())


def is_done(connection: Connection, crawl_id: int) -> bool:
    """Whether the crawl is seeded and nothing of it is left to do."""
    seeded = connection.execute(select(crawls.c.seeded_at).where(crawls.c.id == crawl_id)).scalar()
    return seeded is not None and not has_open_rows(connection, crawl_id)


@dataclass(frozen=True)
class Finders:
    """The page types through which pages are found."""

    only: tuple[str, ...]
    """Those that only yield links."""
    some: tuple[str, ...]
    """Those that may yield links."""


def close_if_done(database: Database, connection: Connection, crawl: Crawl, finders: Finders) -> bool:
    """Close the crawl when nothing is left of it; True when it is closed then, by whomever.

    It is `incomplete` when a page that only yields links, or a seed that may yield some, is in error: what it would
    have shown is unknown.
    """
    row = connection.execute(
        select(crawls.c.open_key).where(crawls.c.id == crawl.id).with_for_update()
    ).scalar_one_or_none()
    if row is None:
        return True
    if not is_done(connection, crawl.id):
        return False
    seed = urls.c.discovered_from.is_(None)
    broken = connection.execute(
        select(func.count())
        .select_from(urls)
        .where(urls.c.crawl_id == crawl.id, urls.c.status == "error")
        .where(urls.c.page_type.in_(finders.only) | (seed & urls.c.page_type.in_(finders.some)))
        .where(urls.c.reason_code != "gone")
    ).scalar_one()
    state, reason = (
        ("incomplete", f"seeds or pages that only yield links in error: {broken}") if broken else ("finished", None)
    )
    close(database, connection, crawl, state, reason)
    return True


def close(database: Database, connection: Connection, crawl: Crawl, state: str, reason: str | None) -> None:
    """Close an open crawl and freeze its figures."""
    connection.execute(
        update(crawls)
        .where(crawls.c.id == crawl.id, crawls.c.open_key.is_not(None))
        .values(
            state=state,
            reason=reason,
            open_key=None,
            finished_at=database.now(connection),
            figures=canonical(crawl_figures(connection, crawl.id)),
        )
    )


def refresh_figures(connection: Connection, crawl: Crawl) -> None:
    """Freeze a closed crawl's figures anew, after its pages were parsed again."""
    connection.execute(
        update(crawls)
        .where(crawls.c.id == crawl.id, crawls.c.open_key.is_(None))
        .values(figures=canonical(crawl_figures(connection, crawl.id)))
    )


def reopen(connection: Connection, crawl: Crawl) -> None:
    """Open a closed crawl again, for rows that an operator put back."""
    connection.execute(
        update(crawls)
        .where(crawls.c.id == crawl.id)
        .values(state="open", reason=None, open_key=crawl.site_id, finished_at=None, figures=None)
    )
