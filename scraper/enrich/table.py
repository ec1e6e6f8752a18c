"""Reference tables of a site: `spiders/<site>/tables/<name>.csv`, UTF-8, names in the first line."""

import csv
import io
from importlib.resources import files

from scraper.errors import BrokenSite


def table_bytes(site: str, name: str) -> bytes:
    """The file as it is; raises BrokenSite when it is missing."""
    try:
        return (files(f"spiders.{site}") / "tables" / f"{name}.csv").read_bytes()
    except OSError as error:
        raise BrokenSite(f"spiders/{site}/tables/{name}.csv cannot be read: {error.strerror}") from error


def read_table(site: str, name: str) -> tuple[dict[str, str], ...]:
    """Its rows; raises BrokenSite for a row that has more or fewer cells than the first line has names."""
    reader = csv.DictReader(io.StringIO(table_bytes(site, name).decode("utf-8-sig"), newline=""), strict=True)
    rows = []
    for row in reader:
        if None in row or None in row.values():
            raise BrokenSite(
                f"spiders/{site}/tables/{name}.csv, line {reader.line_num}: "
                f"it must have {len(reader.fieldnames or ())} cells, like the first line"
            )
        rows.append(row)
    return tuple(rows)
