"""The words after `-a` that a site's crawl understands; an unknown one is an error, not a shrug."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from scraper.errors import WrongUsage
from scraper.origin import parse_base

Only = Literal["discover", "fetch"]
_KNOWN = ("base", "only", "limit")
WORDS = (
    "base=URL asks another origin, and the database remembers it; only=discover or only=fetch does a part; "
    "limit=N stops after N pages (may be repeated, each name once)"
)
"""What `-a` takes, for people."""


def refuse_twice(given: Iterable[str]) -> None:
    """Raises WrongUsage for a name that is given twice: Scrapy would take the last and say nothing."""
    names = Counter(word.partition("=")[0] for word in given)
    if twice := [name for name, count in names.items() if count > 1]:
        raise WrongUsage(f"-a {twice[0]}=… is given {names[twice[0]]} times; give it once")


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
