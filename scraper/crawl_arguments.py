"""The words after `-a` that a site's crawl understands; an unknown one is an error, not a shrug."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scraper.errors import WrongUsage
from scraper.origin import parse_base

Only = Literal["discover", "fetch"]
_KNOWN = ("base", "only", "limit")


@dataclass(frozen=True)
class Arguments:
    """What a crawl was asked to do."""

    base: str | None = None
    """Another origin that is asked instead of the site's own."""
    only: Only | None = None
    """discover: parse pages that only yield links; fetch: keep bodies and parse nothing; None: everything."""
    limit: int | None = None
    """Claim at most so many pages in this run."""

    @classmethod
    def read(cls, given: Mapping[str, object]) -> Arguments:
        """The arguments as Scrapy gives them; raises WrongUsage that names the bad one. Scrapyd's own pass."""
        words = {name: str(value) for name, value in given.items() if not name.startswith("_") and name != "name"}
        if unknown := sorted(words.keys() - set(_KNOWN)):
            raise WrongUsage(f"-a {unknown[0]}=…: unknown; there are: {', '.join(f'{name}=' for name in _KNOWN)}")
        base, only, limit = words.get("base"), words.get("only"), words.get("limit")
        if only not in (None, "discover", "fetch"):
            raise WrongUsage(f"-a only={only}: use only=discover or only=fetch, or leave it out")
        if limit is not None and not (limit.isascii() and limit.isdigit() and int(limit) > 0):
            raise WrongUsage(f"-a limit={limit}: use a number of pages, like limit=20")
        return cls(
            base=parse_base(base) if base else None,
            only=only,  # type: ignore[arg-type]  # narrowed above
            limit=int(limit) if limit else None,
        )
