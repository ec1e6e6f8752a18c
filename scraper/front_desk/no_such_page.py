"""Says why a word names no page of a site, and shows how one that does would look."""

import json
import shlex
from pathlib import PurePath

from sqlalchemy import Connection, select

from scraper.errors import NotKept, ScraperError, WrongUsage
from scraper.sites import Site
from scraper.store.tables import records

_PAGE_FILES = (".html", ".htm", ".json", ".xml", ".txt")


def looks_like_a_file(what: str) -> bool:
    """Whether a word was meant as a file's name: it has a folder, or the ending of a page."""
    return "/" in what or PurePath(what).suffix.lower() in _PAGE_FILES


def no_such_key(connection: Connection, site: Site, site_id: int | None, what: str) -> ScraperError:
    """What to raise for a word that is the key of no record: it names a key that there is."""
    why = f"{what!r} is no address and no record's key of {site.name}"
    if (key := _some_key(connection, site_id)) is None:
        return NotKept(f"{why}: no record is known yet; type: scrapy crawl {site.name}")
    return NotKept(f"{why}; a key looks like {shlex.quote(key)}, the fields joined by commas")


def no_such_file(what: str) -> ScraperError:
    """What to raise for a word that was meant as a file."""
    return WrongUsage(f"{what}: no such file")


def _some_key(connection: Connection, site_id: int | None) -> str | None:
    newest = select(records.c.key).where(records.c.site_id == site_id).order_by(records.c.id.desc()).limit(1)
    key = connection.execute(newest).scalar()
    return None if key is None else key_as_typed(json.loads(key))


def key_as_typed(values: list[object]) -> str:
    """A key as a person types it: texts as they are, other values as JSON writes them."""
    return ",".join(value if isinstance(value, str) else json.dumps(value) for value in values)
