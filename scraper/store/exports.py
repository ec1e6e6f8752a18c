"""Speaks to `exports`: a file is begun, ready, published or held back, and what a dead run left is found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, exists, select, update

from scraper.errors import AlreadyRunning, RunLost
from scraper.store.canonical import canonical, digest
from scraper.store.clock import iso
from scraper.store.database import Database
from scraper.store.tables import exports, runs

ALL_KINDS = "*"
"""Stands in `kind` for a file that holds all kinds; no class can be named so."""

Result = Literal["published", "quarantined", "failed"]
"""How an export ends; before that it is `building`, then `ready`: the file is whole, and only renames are left."""


@dataclass(frozen=True)
class Unsettled:
    """An export that a dead run left unfinished."""

    id: int
    """Its number."""
    run_id: int
    """The run that began it."""
    result: str
    """building or ready."""
    path: Path
    """Where the file was to stand."""
    sha256: str | None
    """Of the whole file, once it was ready."""
    manifest: Mapping[str, Any] | None
    """What was to be said of it, once it was ready."""


@dataclass(frozen=True)
class Published:
    """The newest published export of a file."""

    as_of: int
    """The moment it shows."""
    records: int
    """How many records it holds."""


def begin(
    database: Database,
    connection: Connection,
    *,
    site_id: int,
    kind: str,
    format_name: str,
    options: Mapping[str, Any],
    path: Path,
    as_of: int,
    schema_version: str,
    run_id: int,
) -> int:
    """Insert a row that is `building`; gives its number. Raises AlreadyRunning when another run builds the same file.

    Options are not part of what makes it the same: two sets of options write one file name.
    """
    key = f"{site_id}:{kind}:{format_name}"
    holder = select(exports.c.run_id, runs.c.pid, runs.c.machine, exports.c.started_at)
    holder = holder.outerjoin(runs, runs.c.id == exports.c.run_id).where(exports.c.open_key == key)
    if row := connection.execute(holder).first():
        raise AlreadyRunning(
            f"run {row.run_id} (process {row.pid} on {row.machine}) writes this {format_name} file since "
            f"{iso(row.started_at)}; wait for it"
        )
    inserted = connection.execute(
        exports.insert().values(
            site_id=site_id,
            kind=kind,
            format=format_name,
            options_hash=digest(canonical(options)),
            open_key=key,
            path=str(path),
            as_of=as_of,
            schema_version=schema_version,
            result="building",
            started_at=database.now(connection),
            run_id=run_id,
        )
    )
    assert inserted.inserted_primary_key is not None
    return int(inserted.inserted_primary_key[0])


def make_ready(
    connection: Connection,
    export_id: int,
    run_id: int,
    *,
    path: Path,
    crawl_id: int | None,
    forced: bool,
    manifest: Mapping[str, Any],
) -> None:
    """Say that the file is whole and only renames are left. Raises RunLost when this run was declared dead."""
    live = exists().where(runs.c.id == run_id, runs.c.state == "live")
    changed = connection.execute(
        update(exports)
        .where(exports.c.id == export_id, exports.c.run_id == run_id, exports.c.result == "building", live)
        .values(
            result="ready",
            path=str(path),
            crawl_id=crawl_id,
            forced=forced,
            records=manifest["records"],
            bytes=manifest["bytes"],
            sha256=manifest["sha256"],
            manifest=canonical(manifest),
        )
    )
    if changed.rowcount != 1:
        raise RunLost(f"run {run_id} was declared lost while it wrote {path.name}; nothing was published")


def end(database: Database, connection: Connection, export_id: int, run_id: int, result: Result) -> None:
    """Write how the export ended, and let others build the file again."""
    connection.execute(
        update(exports)
        .where(exports.c.id == export_id, exports.c.run_id == run_id, exports.c.open_key.is_not(None))
        .values(result=result, open_key=None, finished_at=database.now(connection))
    )


def last_published(connection: Connection, site_id: int, kind: str, format_name: str) -> Published | None:
    """The published export that stands under the stable name, or None."""
    row = connection.execute(
        select(exports.c.as_of, exports.c.records)
        .where(exports.c.site_id == site_id, exports.c.kind == kind, exports.c.format == format_name)
        .where(exports.c.result == "published")
        .order_by(exports.c.as_of.desc(), exports.c.id.desc())
        .limit(1)
    ).first()
    return Published(row.as_of, row.records) if row else None


def unsettled(connection: Connection, site_id: int, run_id: int) -> list[Unsettled]:
    """Unfinished exports of the site whose run is dead, or is this one: it has begun none yet."""
    live = select(runs.c.id).where(runs.c.state == "live", runs.c.id != run_id)
    rows = connection.execute(
        select(exports)
        .where(exports.c.site_id == site_id, exports.c.open_key.is_not(None), exports.c.run_id.not_in(live))
        .order_by(exports.c.id)
    )
    return [
        Unsettled(
            id=row.id,
            run_id=row.run_id,
            result=row.result,
            path=Path(row.path),
            sha256=row.sha256,
            manifest=json.loads(row.manifest) if row.manifest else None,
        )
        for row in rows
    ]


def adopt(connection: Connection, export: Unsettled, run_id: int) -> bool:
    """Take over a dead run's export, to settle it; False when another run was first."""
    changed = connection.execute(
        update(exports)
        .where(exports.c.id == export.id, exports.c.run_id == export.run_id, exports.c.open_key.is_not(None))
        .values(run_id=run_id)
    )
    return changed.rowcount == 1
