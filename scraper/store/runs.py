"""Speaks to `runs`: a process at work on a site begins, beats, ends, or is found dead by another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, RowMapping, select, update

from scraper.store.canonical import canonical
from scraper.store.database import Database
from scraper.store.process import Process, is_gone, this_process
from scraper.store.tables import crawls, runs, urls

Stage = Literal["crawl", "run", "reparse", "enrich", "score", "export"]
Outcome = Literal["finished", "joined-finished", "released", "waiting", "robbed", "failed", "lost"]
CRAWLING = ("crawl", "run")
"""The stages whose runs hold a site: `scrapy run` refuses while one of them lives."""


@dataclass(frozen=True)
class OtherRun:
    """A run that is not this one, as far as its row tells."""

    id: int
    """Its number."""
    stage: str
    """What it does."""
    process: Process
    """Which process it is."""
    beat: int
    """How often it has beaten."""
    beat_at: int
    """When it last beat, by the database's clock."""
    started_at: int
    """When it began, by the database's clock."""
    crawl_id: int | None
    """The crawl it works on."""


def begin(
    database: Database, connection: Connection, site_id: int, stage: Stage, crawl_id: int | None, code: str
) -> int:
    """Insert a live run of this process; gives its number."""
    me, now = this_process(), database.now(connection)
    inserted = connection.execute(
        runs.insert().values(
            site_id=site_id,
            crawl_id=crawl_id,
            stage=stage,
            machine=me.machine,
            pid=me.pid,
            pid_started=me.started,
            beat_at=now,
            started_at=now,
            code_version=code,
        )
    )
    assert inserted.inserted_primary_key is not None
    return int(inserted.inserted_primary_key[0])


def beat(database: Database, connection: Connection, run_id: int) -> bool:
    """Say that the run lives; False when another declared it lost, and then it must write nothing more."""
    changed = connection.execute(
        update(runs)
        .where(runs.c.id == run_id, runs.c.state == "live")
        .values(beat=runs.c.beat + 1, beat_at=database.now(connection))
    )
    return changed.rowcount == 1


def end(
    database: Database,
    connection: Connection,
    run_id: int,
    outcome: Outcome,
    reason: str | None,
    figures: dict[str, object] | None,
) -> bool:
    """End a live run; False when it was declared lost before."""
    changed = connection.execute(
        update(runs)
        .where(runs.c.id == run_id, runs.c.state == "live")
        .values(
            state="ended",
            outcome=outcome,
            reason=reason,
            ended_at=database.now(connection),
            figures=canonical(figures) if figures is not None else None,
        )
    )
    return changed.rowcount == 1


def is_live(connection: Connection, run_id: int) -> bool:
    """Whether the run may still write."""
    return connection.execute(select(runs.c.state).where(runs.c.id == run_id)).scalar() == "live"


def live_runs(connection: Connection, site_id: int | None = None, stages: tuple[str, ...] = ()) -> list[OtherRun]:
    """The runs whose rows say they live, oldest first."""
    query = select(runs).where(runs.c.state == "live").order_by(runs.c.id)
    if site_id is not None:
        query = query.where(runs.c.site_id == site_id)
    if stages:
        query = query.where(runs.c.stage.in_(stages))
    return [_other(row) for row in connection.execute(query).mappings()]


def _other(row: RowMapping) -> OtherRun:
    return OtherRun(
        id=row["id"],
        stage=row["stage"],
        process=Process(row["machine"], row["pid"], row["pid_started"]),
        beat=row["beat"],
        beat_at=row["beat_at"],
        started_at=row["started_at"],
        crawl_id=row["crawl_id"],
    )


@dataclass(frozen=True)
class EndedRun:
    """A run that is over."""

    id: int
    """Its number."""
    crawl_id: int | None
    """The crawl it worked on."""
    outcome: str | None
    """How it came out."""


def last_ended(connection: Connection, site_id: int, stage: Stage) -> EndedRun | None:
    """The newest run of that stage that is over."""
    row = connection.execute(
        select(runs.c.id, runs.c.crawl_id, runs.c.outcome)
        .where(runs.c.site_id == site_id, runs.c.stage == stage, runs.c.state != "live")
        .order_by(runs.c.id.desc())
        .limit(1)
    ).first()
    return EndedRun(*row) if row else None


def why_dead(run: OtherRun, now: int, lease: int, unbeaten: bool) -> str | None:
    """Why a run is taken for dead, or None.

    `unbeaten`: this observer has seen the same beat for two beats by its own clock. Without that, everybody would look
    dead to the first one back after an outage of the database that lasted longer than the lease.
    """
    if is_gone(run.process):
        return f"its process {run.process.pid} is gone"
    if unbeaten and run.beat_at < now - lease:
        return f"no heartbeat for {(now - run.beat_at) // 1_000_000} s"
    return None


def declare_lost(database: Database, connection: Connection, run: OtherRun, reason: str) -> bool:
    """Mark a run lost, for ever; False when it beat or ended meanwhile."""
    changed = connection.execute(
        update(runs)
        .where(runs.c.id == run.id, runs.c.state == "live", runs.c.beat == run.beat)
        .values(state="lost", outcome="lost", reason=reason, ended_at=database.now(connection))
    )
    return changed.rowcount == 1


def free_orphans(connection: Connection, site_id: int | None = None) -> int:
    """Put rows of open crawls that no live run holds back into the queue, with a strike; gives how many.

    Whoever held them: a claim may have slipped in beside the verdict on its run.
    """
    open_crawls = select(crawls.c.id).where(crawls.c.open_key.is_not(None))
    if site_id is not None:
        open_crawls = open_crawls.where(crawls.c.site_id == site_id)
    freed = 0
    for crawl_id in connection.execute(open_crawls).scalars().all():
        held = connection.execute(
            select(urls.c.id, urls.c.claimed_by)
            .where(urls.c.crawl_id == crawl_id, urls.c.status.in_(("in_progress", "fetched")))
            .order_by(urls.c.id)
        )
        claims = list(held)
        owners = {owner for _, owner in claims if owner is not None}
        alive = set(
            connection.execute(select(runs.c.id).where(runs.c.id.in_(owners), runs.c.state == "live")).scalars()
        )
        for url_id, owner in claims:
            if owner not in alive:
                freed += connection.execute(
                    update(urls)
                    .where(
                        urls.c.id == url_id, urls.c.status.in_(("in_progress", "fetched")), urls.c.claimed_by == owner
                    )
                    .values(status="pending", claimed_by=None, strikes=urls.c.strikes + 1)
                ).rowcount
    return freed
