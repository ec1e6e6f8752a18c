"""Puts a whole file under its final names, and finishes or takes back what a dead run left half-way."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from scraper.export.file_names import QUARANTINE, manifest_of, part_of, parts_of
from scraper.export.manifest import text_of_manifest
from scraper.export.whole_file import sha256_of, sync, write_text_whole
from scraper.store.cut_points import cut_point
from scraper.store.database import Database
from scraper.store.exports import Result, Unsettled, adopt, end, unsettled

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Publication:
    """A whole file on its way from its unfinished names to its final ones."""

    export_id: int
    """The export's number, part of the unfinished names."""
    folder: Path
    """The output folder, where the unfinished files stand."""
    file: Path
    """Where the file goes: its dated name, or the one in quarantine."""
    stable: Path | None
    """The stable name; None when the file may not take it."""
    manifest: Mapping[str, Any]
    """What is said of both."""

    @property
    def moves(self) -> list[tuple[Path, Path]]:
        """The renames in order. The stable name goes first: it tells a later run whether publishing had begun."""
        names = [self.stable] if self.stable else []
        dated = self.folder / self.file.name
        return [
            *((part_of(name, self.export_id), name) for name in names),
            (part_of(dated, self.export_id), self.file),
        ]

    @property
    def result(self) -> Result:
        """How the export ends when all is in place."""
        return "published" if self.manifest["result"] == "published" else "quarantined"


def finish(publication: Publication, moves: list[tuple[Path, Path]]) -> None:
    """Do the renames, then write the manifest beside each file."""
    publication.file.parent.mkdir(parents=True, exist_ok=True)
    for part, name in moves:
        part.replace(name)
        cut_point(f"export:renamed-{'stable' if name == publication.stable else 'dated'}")
    cut_point("export:renamed")
    text = text_of_manifest(publication.manifest)
    for file in (publication.file, publication.stable):
        if file is not None:
            name = manifest_of(file)
            write_text_whole(name, part_of(publication.folder / name.name, publication.export_id), text)
            sync(file.parent)


def settle(database: Database, site_id: int, run_id: int) -> None:
    """End every export of the site that a dead run, or this one, left unfinished.

    One whose renames had begun is finished: its file is whole and has passed the gate. Of any other nothing was ever
    under a final name: its unfinished files are removed.
    """
    with database.read() as connection:
        left = unsettled(connection, site_id, run_id)
    for export in left:
        if not database.transact(partial(adopt, export=export, run_id=run_id)):
            continue
        result = _settled(export)
        if export.run_id != run_id:
            log.warning(
                "Export %s of run %s was cut short (%s): %s", export.id, export.run_id, export.path.name, result
            )
        database.transact(partial(end, database, export_id=export.id, run_id=run_id, result=result))


def _settled(export: Unsettled) -> Result:
    folder = export.path.parent.parent if export.path.parent.name == QUARANTINE else export.path.parent
    result: Result = "failed"
    if export.manifest is not None:
        name = export.manifest["stable"]
        publication = Publication(export.id, folder, export.path, folder / name if name else None, export.manifest)
        first = publication.moves[0][1]
        if first.is_file() and sha256_of(first) == export.sha256:
            finish(publication, [(part, name) for part, name in publication.moves if part.exists()])
            result = publication.result
    for part in parts_of(folder, export.path.name, export.id):
        part.unlink(missing_ok=True)
    return result
