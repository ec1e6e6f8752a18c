"""The site card, and the finding of the folders in `spiders/` by name, so that a broken one hides no other."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.util import find_spec
from typing import Literal
from urllib.parse import urlsplit

from scraper.amounts import read_locale
from scraper.errors import BrokenSite, UnknownSite

Refresh = Literal["never", "every_crawl"] | timedelta


@dataclass(frozen=True, kw_only=True)
class PageType:
    """A kind of page of a site, with the parser that reads it and how long what it says may be believed."""

    parser: str
    """The module with `parse(page)`, by name (`spiders.books.parsers.book`)."""
    refresh: Refresh
    """When a kept page is fetched again: `never`, in `every_crawl`, or when older than this at the crawl's start."""
    varies: tuple[str, ...] = ()
    """What else the answer depends on: header names, or `cookie:NAME`. Part of the address's identity."""

    def __post_init__(self) -> None:
        if not (self.refresh in ("never", "every_crawl") or isinstance(self.refresh, timedelta)):
            raise ValueError(f"refresh={self.refresh!r}: use 'never', 'every_crawl' or a timedelta")
        if isinstance(self.refresh, timedelta) and self.refresh <= timedelta(0):
            raise ValueError("refresh is no time at all: use 'every_crawl'")


@dataclass(frozen=True, kw_only=True)
class Promises:
    """What a healthy crawl of the site yields; a broken promise makes the crawl a failure and holds exports back."""

    records: int = 0
    """At least so many records seen in the crawl, all kinds together; those of an earlier one alone do not count."""
    most_blocked: float = 1.0
    """At most this share of the crawl's addresses may end as blocked (0 to 1)."""
    most_gone: float = 0.2
    """At most this share of the records may vanish in one crawl (0 to 1)."""
    gone_after: int = 3
    """In so many crawls running an address must answer 404 or 410 before its records are gone."""

    def __post_init__(self) -> None:
        for name in ("most_blocked", "most_gone"):
            if not 0 <= (share := getattr(self, name)) <= 1:
                raise ValueError(f"{name}={share!r}: a share is between 0 and 1 (2 % is 0.02)")


@dataclass(frozen=True, kw_only=True)
class Site:
    """The site card: everything the engine must know of a site, in one value."""

    name: str
    """The folder's and the spider's name."""
    origin: str
    """The site's root (`https://books.toscrape.com/`); what `-a base=` replaces on the wire."""
    pages: Mapping[str, PageType]
    """The page types by name."""
    hosts: tuple[str, ...] = ()
    """Host names that may be followed, their subdomains included; the origin's host unless stated."""
    every: timedelta = timedelta(days=1)
    """How often the site is to be crawled."""
    resume_within: timedelta | None = None
    """A crawl cut short is resumed when it is younger than this, else abandoned; 2 x `every` unless stated."""
    locale: str | None = None
    """Language and region of amounts and dates (`en-GB`); without it an ambiguous amount is an error."""
    tier: str = "plain"
    """How pages are fetched."""
    delay: float | None = None
    """Seconds between two requests to a host; DOWNLOAD_DELAY unless stated."""
    concurrency: int | None = None
    """Requests under way to a host at once; CONCURRENT_REQUESTS_PER_DOMAIN unless stated."""
    promises: Promises = field(default_factory=Promises)
    """What a healthy crawl yields."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.origin)
        origin = f"{parts.scheme}://{parts.netloc.lower()}/"
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or self.origin.lower() not in (origin, origin[:-1])
        ):
            raise ValueError(f"origin={self.origin!r}: use scheme and host alone, like https://books.toscrape.com/")
        if parts.username is not None:
            raise ValueError("origin holds a user name: no secrets in a site card")
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "hosts", tuple(host.lower() for host in self.hosts or (parts.hostname,)))
        if self.resume_within is None:
            object.__setattr__(self, "resume_within", 2 * self.every)
        if self.locale is not None:
            read_locale(self.locale)  # raises ValueError while the card is read, not at the first price
        if not self.pages:
            raise ValueError("pages={}: a site needs at least one page type")

    def page_type(self, name: str) -> PageType:
        """The page type of that name; raises BrokenSite with the names that exist."""
        try:
            return self.pages[name]
        except KeyError:
            raise BrokenSite(
                f"spiders/{self.name}: no page type {name!r} in the site card (it has {', '.join(self.pages)})"
            ) from None


def site_names() -> list[str]:
    """The names of the folders in `spiders/`, sorted; nothing is imported."""
    spec = find_spec("spiders")
    if spec is None or spec.submodule_search_locations is None:
        return []
    return sorted(module.name for module in pkgutil.iter_modules(spec.submodule_search_locations) if module.ispkg)


def load_site(name: str) -> Site:
    """The card of a site; raises UnknownSite, or BrokenSite with the reason and the file to mend."""
    if name not in site_names():
        raise UnknownSite(f"no site {name!r} in spiders/; there are: {', '.join(site_names()) or 'none'}")
    module = load_module(f"spiders.{name}")
    site = getattr(module, "SITE", None)
    if not isinstance(site, Site):
        raise BrokenSite(f"spiders/{name}/__init__.py: it must set SITE = Site(...)")
    if site.name != name:
        raise BrokenSite(f"spiders/{name}/__init__.py: SITE.name is {site.name!r}; the folder is {name!r}")
    return site


def load_module(name: str) -> object:
    """A module of a site; whatever its import raises becomes a BrokenSite that names file and line."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # a site's code may raise anything; it must hide no other site
        raise BrokenSite(f"{name} cannot be loaded: {told(error)}; mend it, no other site needs it") from error


def told(error: BaseException) -> str:
    """What was raised, after file and line where it happened in the sites' own code."""
    return f"{_where(error)}{type(error).__name__}: {error}"


def _where(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(error.filename)}, line {error.lineno}: "
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "/spiders/" in file.replace("\\", "/"):
            place = f"{_short(file)}, line {trace.tb_lineno}: "
        trace = trace.tb_next
    return place


def _short(file: str) -> str:
    _, found, rest = file.replace("\\", "/").rpartition("/spiders/")
    return f"spiders/{rest}" if found else file
