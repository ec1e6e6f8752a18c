"""Exports a site: one moment, each format's files written whole, past the gate, published, with a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from scraper.errors import AlreadyRunning, BrokenSite
from scraper.export.begin_export import Begun, Moment, begin_export
from scraper.export.file_names import part_of
from scraper.export.format import Format, Row, Sheet
from scraper.export.gate import why_held
from scraper.export.manifest import decided, describe
from scraper.export.publish import Publication, finish, settle
from scraper.export.rows import Rows
from scraper.export.table import AddsFields, AddsScore, table_of
from scraper.export.whole_file import copy_whole, disk_problems_named, sync
from scraper.parser import models_of
from scraper.sites import Site
from scraper.store import exports
from scraper.store.as_of import count_records
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.sites import site_id_of

TELL_EVERY = 250
"""Rows between two looks at how far it is."""

Tell = Callable[[str, int, int], None]
"""Is told how far a file is: its name, rows written, rows at most."""


@dataclass(frozen=True)
class ExportedFile:
    """A finished file."""

    path: Path
    """Its dated name, or the one in quarantine."""
    stable: Path | None
    """The stable name it stands under too; None when it was held back, or shows an older moment."""
    records: int
    """How many records it holds."""
    bytes: int
    """How long it is."""
    sha256: str
    """Of its content."""
    held: str | None
    """Why the gate held it back, or None."""
    crawl: str | None = None
    """The state of the site's newest crawl; None when there is none."""


def export_site(
    database: Database,
    site: Site,
    run_id: int,
    formats: Sequence[Format],
    output: Path,
    *,
    enrichers: Iterable[AddsFields] = (),
    scorecards: Iterable[AddsScore] = (),
    as_of: datetime | None = None,
    force: bool = False,
    tell: Tell = lambda _name, _done, _most: None,
) -> list[ExportedFile]:
    """Write each format's files of the site as the database knew it at `as_of` (default: now).

    Raises AlreadyRunning while another run builds one of them, WrongUsage for a moment in the future. Whatever is
    raised, no half file is ever under a final name. `force` publishes what the gate would hold back.
    """
    enrichers, scorecards = tuple(enrichers), tuple(scorecards)
    tables = tuple(table_of(model, enrichers, scorecards) for model in models_of(site).values())
    if not tables:
        raise BrokenSite(f"spiders/{site.name}: no parser yields a record, so there is nothing to export")
    output = output.resolve()
    with disk_problems_named(output):
        output.mkdir(parents=True, exist_ok=True)
        site_id = database.transact(lambda connection: site_id_of(database, connection, site.name))
        settle(database, site_id, run_id)
        begin = partial(
            begin_export, database, site=site, site_id=site_id, run_id=run_id, formats=formats, tables=tables
        )
        try:
            moment = database.transact(lambda connection: begin(connection, output=output, wanted=as_of))
        except IntegrityError as error:
            raise AlreadyRunning(f"another run has just begun the same export of {site.name}; wait for it") from error
        try:
            return [_export(database, site_id, moment, one, run_id, force, tell) for one in moment.begun]
        except BaseException:
            settle(database, site_id, run_id)
            raise


def _export(
    database: Database, site_id: int, moment: Moment, begun: Begun, run_id: int, force: bool, tell: Tell
) -> ExportedFile:
    names, crawl, before = begun.names, moment.crawl, begun.before
    part = part_of(names.dated, begun.id)
    rows = [Rows(database, site_id, table, moment.as_of) for table in begun.tables]
    sheets = []
    with database.read() as connection:
        for one in rows:
            most = count_records(connection, site_id, one.table.kind)
            headings = tuple(column.name for column in one.table.columns)
            told = _told(iter(one), tell, f"{names.stable.name} {one.table.kind}", most)
            sheets.append(Sheet(one.table.kind, headings, names.as_of, told))
    replaced = begun.writer.write(part, sheets)
    sync(part)
    described = describe(part, names, begun.writer, rows, replaced, crawl)
    held = why_held(
        names.site, crawl.state if crawl else None, moment.broken, described["records"], before.records if before else 0
    )
    publish = held is None or force
    # The stable name never goes back in time.
    stable = names.stable if publish and (before is None or before.as_of <= moment.as_of) else None
    file = names.dated if publish else names.quarantined
    manifest = decided(described, held, force, file, stable)
    if stable:
        copy_whole(part, part_of(stable, begun.id))
    cut_point("export:temp")
    ready = partial(exports.make_ready, export_id=begun.id, run_id=run_id, path=file, forced=force and held is not None)
    database.transact(partial(ready, crawl_id=crawl.id if crawl else None, manifest=manifest))
    cut_point("export:ready")
    publication = Publication(begun.id, names.folder, file, stable, manifest)
    finish(publication, publication.moves)
    ending = partial(exports.end, database, export_id=begun.id, run_id=run_id, result=publication.result)
    database.transact(ending)
    return ExportedFile(
        path=file,
        stable=stable,
        records=manifest["records"],
        bytes=manifest["bytes"],
        sha256=manifest["sha256"],
        held=None if publish else held,
        crawl=crawl.state if crawl else None,
    )


def _told(rows: Iterator[Row], tell: Tell, name: str, most: int) -> Iterator[Row]:
    """The rows as they are; somebody is told how far they are."""
    for done, row in enumerate(rows):
        if done % TELL_EVERY == 0:
            tell(name, done, most)
        yield row
    tell(name, most, most)
