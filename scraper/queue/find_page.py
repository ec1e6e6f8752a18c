"""Finds the row of a page by its address, or by the key of a record it gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrapy import Request
from sqlalchemy import Connection, Select, select

from scraper.errors import WrongUsage
from scraper.origin import Base
from scraper.queue.identity import identity
from scraper.queue.key_readings import readings
from scraper.sites import Site
from scraper.store.canonical import canonical, digest
from scraper.store.fetches import KeptFetch
from scraper.store.tables import crawls, fetches, records, urls


@dataclass(frozen=True)
class FoundPage:
    """A page of the queue, with its kept answer."""

    url: str
    """Its address."""
    page_type: str
    """What parses it."""
    status: str
    """pending, in_progress, fetched, parsed or error."""
    stage: str | None
    """Of an error: where it happened."""
    reason_code: str | None
    """Of an error: its code."""
    reason: str | None
    """Of an error: what happened."""
    crawl_no: int
    """The crawl it was last seen in."""
    context: str | None
    """What the link handed over, as JSON."""
    fetch: KeptFetch | None
    """Its last accepted answer; None when there is none."""

    @property
    def standing(self) -> str:
        """How it stands, in words."""
        if self.status != "error":
            return f"{self.status} in crawl {self.crawl_no}"
        return f"error {self.stage}/{self.reason_code} in crawl {self.crawl_no}: {self.reason}"


def is_address(what: str) -> bool:
    """Whether a word is meant as an address, not as a key."""
    return what.lower().startswith(("http://", "https://"))


def why_not_kept(site: Site, what: str, found: FoundPage | None) -> str:
    """Why there is no kept page to show, and what to type."""
    name = site.name
    if found is not None:
        first = f"scrapy requeue {name}, then " if found.status == "error" else ""
        return f"{found.url}: no answer is kept ({found.standing}); type: {first}scrapy crawl {name}"
    if is_address(what):
        return f"{what} is not in the queue of {name}; read it all the same with: scrapy try {name} PAGE_TYPE {what}"
    return f"{what!r} is no address and no record's key of {name}; what is known shows: scrapy status {name}"


def find_page(connection: Connection, site: Site, site_id: int, base: str | None, what: str) -> FoundPage | None:
    """The page that `what` names, an address or a key; None when there is none.

    An address of the base counts as the site's. Raises WrongUsage for a key that names records of several pages.
    """
    if is_address(what):
        return _by_address(connection, site, site_id, Base(site.origin, base).to_site(what) if base else what)
    return _by_key(connection, site_id, what)


def _by_address(connection: Connection, site: Site, site_id: int, url: str) -> FoundPage | None:
    try:
        request = Request(url)
        same = {identity(request, page.varies) for page in site.pages.values()}
    except ValueError as error:
        raise WrongUsage(f"{url!r:.200} is no address: {error}") from error
    rows = _pages().where(urls.c.site_id == site_id).order_by(fetches.c.id.desc(), urls.c.id)
    found = _first(connection, rows.where(urls.c.fp.in_(sorted(same))))
    # A request with headers, a body or a cookie has another identity; its address alone is in no index.
    return found or _first(connection, rows.where(urls.c.url == url))


def _by_key(connection: Connection, site_id: int, text: str) -> FoundPage | None:
    hashes = sorted({digest(canonical(values)) for values in readings(text)})
    kinds = connection.execute(select(records.c.kind).where(records.c.site_id == site_id).distinct()).scalars()
    named = connection.execute(
        select(records.c.kind, records.c.owner_url_id).where(
            records.c.site_id == site_id, records.c.kind.in_(list(kinds)), records.c.key_hash.in_(hashes)
        )
    )
    owners = {row.owner_url_id: row.kind for row in named}
    pages = {owner: _first(connection, _pages().where(urls.c.id == owner)) for owner in sorted(owners)}
    found = [(owners[owner], page) for owner, page in pages.items() if page is not None]
    if len(found) > 1:
        names = ", ".join(f"{kind} {page.url}" for kind, page in found)
        raise WrongUsage(f"{text!r} is the key of {len(found)} records; give the address: {names}")
    return found[0][1] if found else None


def _pages() -> Select[Any]:
    return (
        select(
            urls.c.url,
            urls.c.page_type,
            urls.c.status,
            urls.c.stage,
            urls.c.reason_code,
            urls.c.reason,
            urls.c.context,
            crawls.c.no,
            fetches.c.id.label("fetch"),
            fetches.c.at,
            fetches.c.http_status,
            fetches.c.headers,
            fetches.c.body_hash,
            fetches.c.final_url,
        )
        .join(crawls, crawls.c.id == urls.c.crawl_id)
        .outerjoin(fetches, (fetches.c.id == urls.c.fetch_id) & fetches.c.body_hash.is_not(None))
    )


def _first(connection: Connection, query: Select[Any]) -> FoundPage | None:
    row = connection.execute(query.limit(1)).first()
    if row is None:
        return None
    fetch = KeptFetch(row.fetch, row.at, row.http_status, row.headers, row.body_hash, row.final_url)
    return FoundPage(
        url=row.url,
        page_type=row.page_type,
        status=row.status,
        stage=row.stage,
        reason_code=row.reason_code,
        reason=row.reason,
        crawl_no=row.no,
        context=row.context,
        fetch=fetch if row.fetch is not None else None,
    )
