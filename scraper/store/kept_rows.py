"""Finds the pages whose kept bodies can be parsed again, in batches by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import and_, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from scraper.store.database import Database
from scraper.store.fetches import KeptFetch
from scraper.store.tables import fetches, urls

READ_AGAIN = ("parse", "validate", "store")
"""The errors that a mended parser heals."""


@dataclass(frozen=True)
class Wanted:
    """Which pages."""

    site_id: int
    """The site."""
    versions: Mapping[str, str]
    """The page types wanted, each with the version of today's parser."""
    errors: bool = False
    """Those whose last parse failed, whatever parser read them."""
    everything: bool = False
    """All; neither means those that another version of the parser read."""


@dataclass(frozen=True)
class KeptRow:
    """A page with its kept answer."""

    id: int
    """Its row."""
    crawl_id: int
    """The crawl it was last seen in."""
    page_type: str
    """What parses it."""
    url: str
    """Its address."""
    context: str | None
    """What the link handed over, as JSON."""
    depth: int
    """Links between it and a seed."""
    fetch: KeptFetch
    """Its answer."""


def count_kept(database: Database, wanted: Wanted) -> int:
    """How many pages there are."""
    query = select(func.count()).select_from(urls.join(fetches, fetches.c.id == urls.c.fetch_id)).where(_which(wanted))
    with database.read() as connection:
        return int(connection.execute(query).scalar_one())


def kept_rows(database: Database, wanted: Wanted, batch: int = 50) -> Iterator[list[KeptRow]]:
    """The pages in batches; each read is short, so that nothing is held while they are parsed."""
    last = 0
    query = (
        select(
            urls.c.id,
            urls.c.crawl_id,
            urls.c.page_type,
            urls.c.url,
            urls.c.context,
            urls.c.depth,
            fetches.c.id.label("fetch"),
            fetches.c.at,
            fetches.c.http_status,
            fetches.c.headers,
            fetches.c.body_hash,
            fetches.c.final_url,
        )
        .join(fetches, fetches.c.id == urls.c.fetch_id)
        .where(_which(wanted))
        .order_by(urls.c.id)
        .limit(batch)
    )
    while True:
        with database.read() as connection:
            rows = connection.execute(query.where(urls.c.id > last)).all()
        if not rows:
            return
        last = rows[-1].id
        yield [
            KeptRow(
                row.id,
                row.crawl_id,
                row.page_type,
                row.url,
                row.context,
                row.depth,
                KeptFetch(row.fetch, row.at, row.http_status, row.headers, row.body_hash, row.final_url),
            )
            for row in rows
        ]


def _which(wanted: Wanted) -> ColumnElement[bool]:
    failed = and_(urls.c.status == "error", urls.c.reason_code.in_(READ_AGAIN))
    of_type = urls.c.page_type.in_(list(wanted.versions))
    kept = and_(
        urls.c.site_id == wanted.site_id, urls.c.claimed_by.is_(None), fetches.c.body_hash.is_not(None), of_type
    )
    if wanted.errors:
        return and_(kept, failed)
    read = or_(urls.c.status == "parsed", failed)
    if wanted.everything:
        return and_(kept, read)
    other = or_(
        *(
            and_(urls.c.page_type == name, or_(urls.c.parser_version != version, urls.c.parser_version.is_(None)))
            for name, version in wanted.versions.items()
        )
    )
    return and_(kept, read, other)
