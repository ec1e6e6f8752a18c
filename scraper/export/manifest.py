"""Says what is true of a finished file, so that whoever gets it can check it without asking us."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scraper.export.file_names import FileNames
from scraper.export.format import Format
from scraper.export.rows import Rows
from scraper.export.table import Table
from scraper.export.whole_file import sha256_of
from scraper.store.clock import iso, to_micros
from scraper.store.crawls import Crawl


def describe(
    file: Path,
    names: FileNames,
    writer: Format,
    rows: Sequence[Rows],
    replaced: Counter[str],
    crawl: Crawl | None,
) -> dict[str, Any]:
    """What is known of a whole file before the gate. `columns` and `schema_version` are by kind if it has several."""
    tables = [one.table for one in rows]
    columns = {table.kind: [column.name for column in table.columns] for table in tables}
    schemas = {table.kind: table.schema_version for table in tables}
    first = [one.first_fetch for one in rows if one.first_fetch is not None]
    last = [one.last_fetch for one in rows if one.last_fetch is not None]
    return {
        "site": names.site,
        "format": writer.name,
        "options": asdict(writer),
        "as_of": iso(to_micros(names.as_of)),
        "records": sum(one.records for one in rows),
        "kinds": {one.table.kind: one.records for one in rows},
        "columns": _alone(columns),
        "bytes": file.stat().st_size,
        "sha256": sha256_of(file),
        "first_fetch": iso(min(first)) if first else None,
        "last_fetch": iso(max(last)) if last else None,
        "schema_version": _alone(schemas),
        "replaced": dict(sorted(sum((one.replaced for one in rows), replaced).items())),
        "crawl": {"no": crawl.no, "state": crawl.state, "started_at": iso(crawl.started_at)} if crawl else None,
    }


def decided(
    described: Mapping[str, Any], held: str | None, force: bool, file: Path, stable: Path | None
) -> dict[str, Any]:
    """The manifest with the gate's answer; with `force` the reason is kept although the file is published."""
    published = held is None or force
    return {
        "file": file.name,
        "stable": stable.name if stable else None,
        "result": "published" if published else f"quarantined: {held}",
        "forced": held if force else None,
        **described,
    }


def text_of_manifest(manifest: Mapping[str, Any]) -> str:
    """The manifest as it stands beside its file."""
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def one_schema(tables: Sequence[Table]) -> str:
    """The schema version of a file: that of its only kind, or one derived from those of all its kinds."""
    if len(tables) == 1:
        return tables[0].schema_version
    joined = ",".join(f"{table.kind}={table.schema_version}" for table in tables)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def _alone(by_kind: Mapping[str, Any]) -> Any:
    return next(iter(by_kind.values())) if len(by_kind) == 1 else dict(by_kind)
