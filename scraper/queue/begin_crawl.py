"""The start of a crawl's run: joins, resumes or opens a crawl of the site, or refuses, and says which."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from scraper.errors import AlreadyRunning
from scraper.parser import parsers_of
from scraper.project_version import project_version
from scraper.queue.live_run import LiveRun
from scraper.queue.recovery import Observer, Recovered, recover, tell
from scraper.sites import Site
from scraper.store import crawls, runs
from scraper.store.clock import micros_of, to_datetime
from scraper.store.crawls import Crawl, Finders
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.runs import OtherRun, Stage
from scraper.store.sites import bind_base, site_id_of
from scraper.store.tables import urls
from scraper.store.urls import end_killers


@dataclass(frozen=True)
class Begun:
    """A run of a crawl that has begun."""

    run: LiveRun
    """The run; enter it to let its heart beat."""
    crawl: Crawl
    """The crawl it works on."""
    base: str | None
    """The origin that is asked; None for the site's own."""
    resumed: bool
    """Whether the crawl had begun before."""
    left: int
    """Addresses of the crawl still to be done."""
    known: int
    """Addresses of the crawl in all."""
    crawled: bool = False
    """Whether the crawl is done and only the stages after it are left, of a run that was killed in them."""

    def line(self) -> str:
        """What a person reads first."""
        started = to_datetime(self.crawl.started_at).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        if self.crawled:
            return f"resuming after crawl {self.crawl.no}, started {started}: its {self.known:,} pages are done"
        if self.resumed:
            return f"resuming crawl {self.crawl.no}, started {started}, {self.left:,} of {self.known:,} left"
        return f"crawl {self.crawl.no} begins"


def begin_crawl(
    database: Database,
    site: Site,
    *,
    stage: Stage = "crawl",
    base: str | None = None,
    join: bool = True,
    beat: float = 15.0,
    lease: float = 300.0,
) -> Begun:
    """Begin a run on the site's open crawl, or on a new one.

    Raises AlreadyRunning when `join` is false and a live run holds the site, WrongUsage when the database holds the
    site as fetched from another base. A run elsewhere whose heart has not beaten for `lease` seconds is watched for two
    beats before it is declared lost.
    """
    observer = Observer(lease, beat)
    while True:
        try:
            answer = database.transact(
                lambda connection: _begin(database, connection, site, stage, base, join, observer, beat, lease)
            )
        except IntegrityError:  # another process opened the crawl at the same moment: join that one
            continue
        if isinstance(answer, OtherRun):
            time.sleep(2 * beat)
            continue
        cut_point("run:begun")
        begun, recovered = answer
        tell(recovered)
        return begun


def _begin(
    database: Database,
    connection: Connection,
    site: Site,
    stage: Stage,
    base: str | None,
    join: bool,
    observer: Observer,
    beat: float,
    lease: float,
) -> tuple[Begun, Recovered] | OtherRun:
    """One try; gives a run that must be watched before it can be told from a dead one."""
    site_id = site_id_of(database, connection, site.name)
    bound = bind_base(connection, site_id, site.name, base)
    recovered = recover(database, connection, observer, site_id, None)
    now = database.now(connection)
    live = runs.live_runs(connection, site_id, runs.CRAWLING)
    silent = [run for run in live if run.beat_at < now - int(lease * 1_000_000)]
    if silent and not join:
        return silent[0]
    if live and not join:
        raise AlreadyRunning(_who(connection, site, live[0]))
    crawl, resumed, crawled = crawls.find_open(connection, site_id), True, False
    if crawl is not None and not live:
        crawl = _still_worth_it(database, connection, site, crawl, now)
    if crawl is None and stage == "run" and (crawl := _only_the_rest(connection, site, site_id, now)):
        crawled = True
    if crawl is None:
        crawl = crawls.open_new(database, connection, site_id, fresh=False, code=project_version())
        resumed = False
    end_killers(connection, crawl.id)
    run_id = runs.begin(database, connection, site_id, stage, crawl.id, project_version())
    left, known = _progress(connection, crawl.id)
    run = LiveRun(database, run_id, site_id, crawl, beat, lease)
    return Begun(run, crawl, bound, resumed, left, known, crawled), recovered


def _still_worth_it(database: Database, connection: Connection, site: Site, crawl: Crawl, now: int) -> Crawl | None:
    """The open crawl that nobody works on, or None when it was closed instead: done, or too old."""
    if crawls.close_if_done(database, connection, crawl, finders_of(site)):
        return None
    assert site.resume_within is not None
    if reason := crawls.why_not_resumed(crawl, now, site.resume_within):
        crawls.close(database, connection, crawl, "abandoned", reason)
        return None
    return crawl


def _only_the_rest(connection: Connection, site: Site, site_id: int, now: int) -> Crawl | None:
    """The newest crawl, when a run was cut short after it, and it is younger than half of `every`."""
    crawl, last = crawls.newest(connection, site_id), runs.last_ended(connection, site_id, "run")
    if crawl is None or last is None or crawl.finished_at is None or last.crawl_id != crawl.id:
        return None
    if last.outcome not in ("lost", "released") or now - crawl.finished_at > micros_of(site.every) // 2:
        return None
    return crawl


def finders_of(site: Site) -> Finders:
    """The page types through which the site's pages are found, by what their parsers say they yield."""
    parsers = parsers_of(site)
    return Finders(
        only=tuple(name for name, parser in parsers.items() if not parser.models),
        some=tuple(name for name, parser in parsers.items() if parser.links),
    )


def _progress(connection: Connection, crawl_id: int) -> tuple[int, int]:
    query = select(func.count()).select_from(urls).where(urls.c.crawl_id == crawl_id)
    known = connection.execute(query).scalar_one()
    left = connection.execute(query.where(urls.c.status.in_(crawls.OPEN_STATUSES))).scalar_one()
    return left, known


def _who(connection: Connection, site: Site, run: OtherRun) -> str:
    since = to_datetime(run.started_at).strftime("%Y-%m-%d %H:%M:%S UTC")
    host = run.process.machine.partition("|")[0]
    left, known = _progress(connection, run.crawl_id) if run.crawl_id is not None else (0, 0)
    return (
        f"{site.name} is running: {run.stage} on {host}, pid {run.process.pid}, since {since}, "
        f"{known - left:,} of {known:,} pages done; wait for it, or join it with: scrapy crawl {site.name}"
    )
