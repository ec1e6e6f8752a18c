"""Takes the files of an export: fixes their moment, inserts a row for each, and looks at the crawl they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection

from scraper.errors import WrongUsage
from scraper.export.file_names import FileNames
from scraper.export.format import Format
from scraper.export.manifest import one_schema
from scraper.export.table import Table
from scraper.monitor.promises import broken_promises
from scraper.sites import Site
from scraper.store import crawls, exports, runs
from scraper.store.clock import to_datetime, to_micros
from scraper.store.database import Database

SETTLING = 30_000_000
"""Microseconds: while other runs write on MySQL, a version's time precedes its commit by up to this (store.md 6.4).
On SQLite the time is read under the only write lock, so it never does."""


@dataclass(frozen=True)
class Begun:
    """One file that this run has begun: its row is `building`."""

    id: int
    """The row."""
    writer: Format
    """The format."""
    tables: tuple[Table, ...]
    """The kinds in it."""
    names: FileNames
    """Where it goes."""
    before: exports.Published | None
    """What stands under its stable name now."""


@dataclass(frozen=True)
class Moment:
    """What holds for all files of one export."""

    as_of: int
    """The moment they show."""
    crawl: crawls.Crawl | None
    """The site's newest crawl."""
    broken: tuple[str, ...]
    """The promises it broke."""
    begun: tuple[Begun, ...]
    """The files."""


def begin_export(
    database: Database,
    connection: Connection,
    *,
    site: Site,
    site_id: int,
    run_id: int,
    formats: Sequence[Format],
    tables: tuple[Table, ...],
    output: Path,
    wanted: datetime | None,
) -> Moment:
    """Take all files at once, or none. Raises AlreadyRunning, or WrongUsage for a moment in the future."""
    now = database.now(connection)
    if wanted is not None and to_micros(wanted) > now:
        raise WrongUsage(f"as of {wanted.isoformat()} is in the future: what will be known then is not known")
    others = [run for run in runs.live_runs(connection, site_id) if run.id != run_id]
    latest = now if database.dialect.sqlite or not others else now - SETTLING
    as_of = latest if wanted is None else to_micros(wanted)
    begun = []
    for writer in formats:
        for part in (tables,) if writer.together else ((table,) for table in tables):
            names = FileNames(
                output, site.name, None if writer.together else part[0].kind, writer.suffix, to_datetime(as_of)
            )
            kind = names.kind or exports.ALL_KINDS
            export_id = exports.begin(
                database,
                connection,
                site_id=site_id,
                kind=kind,
                format_name=writer.name,
                options=asdict(writer),
                path=names.dated,
                as_of=as_of,
                schema_version=one_schema(part),
                run_id=run_id,
            )
            before = exports.last_published(connection, site_id, kind, writer.name)
            begun.append(Begun(export_id, writer, part, names, before))
    crawl = crawls.newest(connection, site_id)
    broken = broken_promises(connection, site, site_id, crawl.id) if crawl else []
    return Moment(as_of, crawl, tuple(broken), tuple(begun))
