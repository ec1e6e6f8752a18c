"""The one identity of a request: for the queue, the cache and a record's owner page."""

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit, urlunsplit

from scrapy import Request
from scrapy.utils.request import fingerprint
from w3lib.url import canonicalize_url

from scraper.store.canonical import canonical

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SESSION = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


def address_key(url: str) -> str:
    """The canonical form of an address: the same for all spellings of one page. Only a key, never sent.

    Host in lower case as A-label, no default port, no session number in the path, query sorted, no fragment.
    """
    parts = urlsplit(canonicalize_url(url))
    return urlunsplit((parts.scheme, authority(url), _SESSION.sub("", parts.path) or "/", parts.query, ""))


def authority(url: str) -> str:
    """Host in lower case as A-label, with the port when it is not the scheme's own; ValueError when there is none."""
    parts = urlsplit(url)
    host = _ascii_host(parts)
    return host if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


def _ascii_host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if not host:
        raise ValueError("the address names no host")
    if ":" in host:
        return f"[{host}]"
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError as error:
        raise ValueError(f"{host!r} is no valid host name") from error


def identity(request: Request, varies: Iterable[str] = ()) -> bytes:
    """20 bytes: canonical address, method, body, and what the page type says the answer varies by.

    `varies` names headers, or `cookie:NAME` for a cookie that the request itself carries.
    """
    names = list(varies)
    headers = [name for name in names if not name.startswith("cookie:")]
    same = fingerprint(request.replace(url=address_key(request.url)), include_headers=headers or None)
    wanted = {name.removeprefix("cookie:") for name in names if name.startswith("cookie:")}
    if not wanted:
        return same
    return hashlib.sha1(same + canonical(_cookies(request, wanted)).encode(), usedforsecurity=False).digest()


def _cookies(request: Request, wanted: set[str]) -> dict[str, str]:
    jar = request.cookies
    pairs = jar.items() if isinstance(jar, dict) else ((one["name"], one["value"]) for one in jar)
    return {str(name): str(value) for name, value in pairs if name in wanted}


def repeated(same: bytes, parent: int, generation: int, nth: int) -> bytes:
    """The identity of a request made again on purpose (`dont_filter`): a row of its own, the same after a crash."""
    return hashlib.sha1(same + f"|{parent}|{generation}|{nth}".encode(), usedforsecurity=False).digest()
