"""A kept page as a plain file that a browser or an editor opens, named for its address and its content."""

import os
import re
from pathlib import Path
from secrets import token_hex
from urllib.parse import unquote, urlsplit

from scraper.errors import CacheProblem
from scraper.models import Page

_LONGEST = 80
# A closed list: what the network calls a program must not become a file that a desktop starts.
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/json": ".json",
    "text/json": ".json",
    "text/plain": ".txt",
    "application/xml": ".xml",
    "text/xml": ".xml",
}
_SUFFIXES = {"+json": ".json", "+xml": ".xml"}


def write_page_file(folder: Path, site: str, page: Page, digest: bytes) -> Path:
    """Write the page's body as it came to `<folder>/pages/<site>/`, whole or not at all; gives the file.

    Raises CacheProblem when the disk is full or not writable.
    """
    file = folder / "pages" / site / f"{_name(page.url)}-{digest.hex()[:8]}{_ending(page)}"
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.{token_hex(4)}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(page.body)
            unfinished.replace(file)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CacheProblem(
            f"{file.parent}: the page cannot be written ({error.strerror}): make room or mend the permissions, "
            f"or set CACHE_DIR to another place"
        ) from error
    return file


def _name(url: str) -> str:
    """What tells the address from others, in letters that every file system and shell takes."""
    parts = urlsplit(url)
    path = re.sub(r"(/index)?\.(html?|json|xml|txt|php|aspx?)$", "", unquote(parts.path), flags=re.I)
    words = re.sub(r"[^A-Za-z0-9_]+", "-", f"{path}-{unquote(parts.query)}").strip("-")
    return words[-_LONGEST:].strip("-") or "index"


def _ending(page: Page) -> str:
    """By what the answer said it is; by its first sign where it said nothing."""
    kind = page.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind:
        found = [ending for suffix, ending in _SUFFIXES.items() if kind.endswith(suffix)]
        return _ENDINGS.get(kind) or (found[0] if found else ".bin")
    return {b"<": ".html", b"{": ".json", b"[": ".json"}.get(page.body.lstrip()[:1], ".bin")
