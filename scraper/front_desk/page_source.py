"""Where the page of `scrapy try` comes from: a file, what is kept, else the network; nothing is written anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scrapy.settings import Settings

from scraper.errors import BodyDamaged, WrongUsage
from scraper.fetch.fetch_once import fetch_once
from scraper.front_desk.no_such_page import looks_like_a_file, no_such_file, no_such_key
from scraper.link_rule import why_not_followed
from scraper.models import Page
from scraper.origin import Base
from scraper.parse.kept_page import kept_page
from scraper.queue.find_page import FoundPage, find_page, is_address
from scraper.sites import Site
from scraper.store.body_store import BodyStore
from scraper.store.clock import iso
from scraper.store.schema import open_database
from scraper.store.sites import base_of, find_site_id


@dataclass(frozen=True)
class PageSource:
    """What a page is read from."""

    page: Page
    """The page."""
    base: Base | None
    """The origin the site is asked at instead of its own."""


def page_of_file(site: Site, what: str, url: str | None, tell: Callable[[str], None]) -> PageSource | None:
    """The page in a file of this machine; None when `what` names none. Touches no database."""
    try:
        if not (file := Path(what)).is_file():
            return None
        body = file.read_bytes()
    except ValueError:  # a name that no file can have
        return None
    except OSError as error:
        if is_address(what) or "/" not in what:  # an address or a key that is too long for a file's name
            return None
        raise WrongUsage(f"{what} cannot be read: {error.strerror}") from error
    tell(f"read from the file, as if it stood at {url or site.origin}" + ("" if url else " (--url says another)"))
    return PageSource(Page(url=url or site.origin, body=body, locale=site.locale), None)


def page_of_site(
    settings: Settings, site: Site, what: str, base: str | None, tell: Callable[[str], None]
) -> PageSource:
    """The kept page of an address or a key; an address that is not kept is asked for, at `base` where one is given."""
    with open_database(settings["DATABASE_URL"]).read() as connection:
        site_id = find_site_id(connection, site.name)
        bound = base_of(connection, site_id) if site_id is not None else None
        found = find_page(connection, site, site_id, bound, what) if site_id is not None else None
        if found is None and not is_address(what):
            raise no_such_file(what) if looks_like_a_file(what) else no_such_key(connection, site, site_id, what)
    asked = base or bound
    origins = Base(site.origin, asked) if asked else None
    if found is not None and asked == bound and (page := _kept(settings, site, found, tell)):
        return PageSource(page, origins)
    url = found.url if found else origins.to_site(what) if origins else what
    if reason := why_not_followed(url, site.hosts):
        raise WrongUsage(f"{url} is not of {site.name}: {reason}; its hosts are {', '.join(site.hosts)}")
    tell(f"not kept; asking {asked or site.origin} for it, nothing of it will be kept")
    return PageSource(fetch_once(settings, site, asked, url), origins)


def _kept(settings: Settings, site: Site, found: FoundPage, tell: Callable[[str], None]) -> Page | None:
    if found.fetch is None:
        return None
    try:
        page = kept_page(site, BodyStore(Path(settings["CACHE_DIR"])), found.fetch, found.url, found.context)
    except BodyDamaged as error:
        tell(str(error))
        return None
    tell(f"the kept page of {found.url}, a {found.page_type}, fetched {iso(found.fetch.at)}; {found.standing}")
    return page
