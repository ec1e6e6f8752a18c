"""The rule of which address a page's link leads to, and why one is not followed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from scraper.models import Link
from scraper.origin import Base
from scraper.sites import Site

_BROKEN = re.compile(r"[<>\s]")


class NotFollowed(ValueError):
    """A link that is left alone; `reason` is what it is counted under: invalid, scheme or offsite."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


def follow(link: Link, page_url: str, site: Site, base: Base | None) -> str:
    """The site's address that a link leads to, as it will be sent; raises NotFollowed."""
    try:
        url = resolve(link.url, page_url)
    except ValueError as error:
        raise NotFollowed("invalid", f"{link.url!r:.200} is no address: {error}") from error
    url = base.to_site(url) if base else url
    if reason := why_not_followed(url, site.hosts):
        raise NotFollowed(reason, f"{url:.200} is not followed: {reason}")
    site.page_type(link.page_type)
    return url


def resolve(found: str, page_url: str) -> str:
    """The address a link leads to, as it will be sent; raises ValueError for one that is none.

    The query stays exactly as found; only what may not stand in an address at all is escaped.
    """
    found = found.strip()
    if "<" in found or ">" in found:
        raise ValueError("it holds markup")
    joined = urljoin(page_url, found)
    parts = urlsplit(joined)
    if parts.scheme in ("http", "https"):
        if not parts.hostname or _BROKEN.search(parts.netloc):
            raise ValueError("it names no host")
        _ = parts.port  # raises ValueError when it is no number
    return safe_url_string(joined)


def why_not_followed(url: str, hosts: Iterable[str]) -> str | None:
    """Why a resolved address is left alone (`scheme`, `offsite`), or None. Subdomains of `hosts` belong to the site."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return "scheme"
    name = (parts.hostname or "").lower()
    if not any(name == host or name.endswith(f".{host}") for host in hosts):
        return "offsite"
    return None
