"""A site fetched from another origin (a mirror, staging): its addresses are mapped on the wire only."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from scraper.errors import WrongUsage

_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.I)


@dataclass(frozen=True)
class Base:
    """The two origins of a site that is fetched elsewhere. Addresses of any third origin pass unchanged."""

    origin: str
    """The site's real origin; rows and records keep it."""
    base: str
    """The origin that is asked instead."""

    def to_wire(self, url: str) -> str:
        """The address that is really asked for `url`."""
        return _moved(url, self.origin, self.base)

    def to_site(self, url: str) -> str:
        """The site's address for one that the base names."""
        return _moved(url, self.base, self.origin)


def parse_base(text: str) -> str:
    """The origin that `-a base=` names, as `scheme://host[:port]/`; raises WrongUsage for anything more or less."""
    try:
        parts = urlsplit(safe_url_string(text.strip()))
        origin = _origin(parts.geturl())
    except ValueError:
        parts, origin = urlsplit(""), None
    bare = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    if origin is None or not bare or not re.fullmatch(r"[\w.:-]+", origin[1]) or origin[2] == 0:
        raise WrongUsage(f"base={text}: use scheme, host and port alone, like base=http://127.0.0.1:8000/")
    scheme, host, port = origin
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}/" if port == _PORTS[scheme] else f"{scheme}://{shown}:{port}/"


def _origin(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an http or https address; None for any other. Raises ValueError for a wrong port."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        return None
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    return parts.scheme, parts.hostname, port


def _moved(url: str, old: str, new: str) -> str:
    """`url` on the origin `new` if it stands on `old`; all behind the origin stays byte for byte."""
    found = _AUTHORITY.match(url)
    try:
        if found is None or _origin(found[0]) != _origin(old):
            return url
    except ValueError:  # a port that is no number: of no origin we know
        return url
    return new.rstrip("/") + url[found.end() :]
