"""A kept answer as the page its parser sees, read from database and disk, with no request."""

from __future__ import annotations

import json

from scraper.models import Page
from scraper.sites import Site
from scraper.store.body_store import BodyStore
from scraper.store.clock import to_datetime
from scraper.store.fetches import KeptFetch


def kept_page(site: Site, bodies: BodyStore, fetch: KeptFetch, url: str, context: str | None) -> Page:
    """The page of a row; raises BodyDamaged when its body is missing or damaged."""
    return Page(
        url=fetch.final_url or url,
        body=bodies.load(fetch.body_hash),
        headers={name: ",".join(values) for name, values in json.loads(fetch.headers).items()},
        status=fetch.http_status,
        fetched_at=to_datetime(fetch.at),
        locale=site.locale,
        context=json.loads(context) if context else {},
    )
