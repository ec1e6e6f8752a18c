"""Names the fields that pages no longer give, from a crawl's figures and those of finished ones before. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 8
"""Fields named; the rest is counted."""


@dataclass(frozen=True)
class Fallen:
    """A field of which pages were refused."""

    page_type: str
    """The pages."""
    field: str
    """The field, or `page` when no field can be named."""
    filled: int
    """Pages that gave it."""
    read: int
    """Pages that were read."""
    was: int | None
    """Pages that gave it in the best of the last finished crawls; None when there was none."""

    def line(self, site: str) -> str:
        """One sentence for a person."""
        before = "" if self.was is None else f" (was {self.was:,})"
        return f"{site}/{self.page_type}: {self.field} {self.filled:,} of {self.read:,}{before}"


def fallen(figures: Mapping[str, Any], before: Sequence[Mapping[str, Any]]) -> list[Fallen]:
    """The refused fields, the worst first.

    `before`: the figures of crawls that finished before. The best of them counts, not the last: after a night of broken
    pages the next one must not read as if nothing had been lost.
    """
    found = []
    for page_type, page in figures["pages"].items():
        read = _read(page)
        old = [crawl["pages"][page_type] for crawl in before if page_type in crawl["pages"]]
        for field, refused in page["refused"].items():
            was = max((_read(one) - one["refused"].get(field, 0) for one in old), default=None)
            found.append(Fallen(page_type, field, max(0, read - refused), read, was))
    return sorted(found, key=lambda one: (one.filled - one.read, one.page_type, one.field))


def _read(page: Mapping[str, Any]) -> int:
    """Pages that a parser was given."""
    refused = sum(count for code, count in page["reasons"].items() if code in ("parse", "validate"))
    return int(page["status"]["parsed"] + refused)
