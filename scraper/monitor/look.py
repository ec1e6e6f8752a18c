"""Reads the status of sites from the database: how far their crawls are, who works on them, what they hold."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from scraper.errors import ScraperError, UnknownSite
from scraper.monitor.crawl_status import CrawlStatus
from scraper.monitor.promises import broken_promises
from scraper.monitor.status import ExportStatus, RunStatus, SiteStatus, Status
from scraper.sites import Site, load_site, site_names
from scraper.store import crawls
from scraper.store.database import Database
from scraper.store.failed_pages import failed_pages
from scraper.store.figures import crawl_figures
from scraper.store.process import is_gone
from scraper.store.runs import live_runs
from scraper.store.sites import base_of
from scraper.store.tables import FOREVER, exports, sites, versions
from scraper.store.tables import crawls as crawls_table


def look(database: Database, name: str | None = None) -> Status:
    """The status of one site, or of all that have a folder or rows. Raises UnknownSite for one that has neither."""
    folders = site_names()
    with database.read() as connection:
        now = database.now(connection)
        stored = {row.name: row.id for row in connection.execute(select(sites.c.name, sites.c.id))}
        if name is not None and name not in folders and name not in stored:
            raise UnknownSite(f"no site {name!r} in spiders/; there are: {', '.join(folders) or 'none'}")
        wanted = sorted({*folders, *stored}) if name is None else [name]
        found = tuple(_site(connection, one, stored.get(one), now) for one in wanted)
    return Status(database.label, now, found)


def _site(connection: Connection, name: str, site_id: int | None, now: int) -> SiteStatus:
    card, broken = _card(name)
    if site_id is None:
        return SiteStatus(name, broken)
    crawl = crawls.newest(connection, site_id)
    closed = crawl is not None and crawl.state != "open"
    return SiteStatus(
        name=name,
        broken=broken,
        base=base_of(connection, site_id),
        crawl=_crawl(connection, crawl, now) if crawl else None,
        runs=_runs(connection, site_id),
        records=_records(connection, site_id),
        promises_broken=tuple(broken_promises(connection, card, site_id, crawl.id))
        if card and crawl and closed
        else (),
        exports=_exports(connection, site_id),
    )


def _card(name: str) -> tuple[Site | None, str | None]:
    try:
        return load_site(name), None
    except ScraperError as error:  # a broken folder, or one that is gone, hides neither its rows nor another site
        return None, " ".join(str(error).split())


def _crawl(connection: Connection, crawl: crawls.Crawl, now: int) -> CrawlStatus:
    reason = connection.execute(select(crawls_table.c.reason).where(crawls_table.c.id == crawl.id)).scalar()
    figures = crawl_figures(connection, crawl.id)
    failed = tuple(failed_pages(connection, crawl.id, sorted(figures["reasons"])))
    return CrawlStatus(crawl, reason, (now - crawl.started_at) // 1_000_000, figures, failed)


def _runs(connection: Connection, site_id: int) -> tuple[RunStatus, ...]:
    return tuple(
        RunStatus(
            id=run.id,
            stage=run.stage,
            host=run.process.machine.partition("|")[0],
            pid=run.process.pid,
            started_at=run.started_at,
            beat_at=run.beat_at,
            dead="its process is gone" if is_gone(run.process) else None,
        )
        for run in live_runs(connection, site_id)
    )


def _records(connection: Connection, site_id: int) -> dict[str, int]:
    live = (versions.c.site_id == site_id) & (versions.c.valid_to == FOREVER) & (versions.c.state == "live")
    query = (
        select(versions.c.kind, func.count().label("held"))
        .where(live)
        .group_by(versions.c.kind)
        .order_by(versions.c.kind)
    )
    return {row.kind: row.held for row in connection.execute(query)}


def _exports(connection: Connection, site_id: int) -> tuple[ExportStatus, ...]:
    newest = select(func.max(exports.c.id)).where(exports.c.site_id == site_id)
    rows = connection.execute(
        select(exports)
        .where(exports.c.id.in_(newest.group_by(exports.c.kind, exports.c.format)))
        .order_by(exports.c.kind, exports.c.format)
    )
    return tuple(
        ExportStatus(row.kind, row.format, row.path, row.result, row.records, row.finished_at or row.started_at)
        for row in rows
    )
