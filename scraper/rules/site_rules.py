"""Finds a site's enrichers or scorecards by name (`spiders/<site>/enrich.py`, `score.py`) and checks their kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from inspect import isfunction
from typing import Any, Protocol, TypeVar

from scraper.errors import BrokenSite
from scraper.parser import models_of
from scraper.sites import Site, load_module


class SiteRule(Protocol):
    """What enrichers and scorecards have in common."""

    @property
    def name(self) -> str:
        """Its name in tables and columns."""

    @property
    def kind(self) -> str:
        """The kind of record it is for."""


T = TypeVar("T", bound=SiteRule)


def rules_of(
    site: Site, stage: str, variable: str, kind_of_rule: type[T], function_of: Callable[[T], Any]
) -> tuple[T, ...]:
    """The tuple `variable` of `spiders/<site>/<stage>.py`, empty without that file; raises BrokenSite when unfit."""
    module, path = f"spiders.{site.name}.{stage}", f"spiders/{site.name}/{stage}.py"
    if find_spec(module) is None:
        return ()
    found = getattr(load_module(module), variable, None)
    if not isinstance(found, tuple) or not all(isinstance(one, kind_of_rule) for one in found):
        raise BrokenSite(f"{path}: it must set {variable} = ({kind_of_rule.__name__}(...), ...)")
    if len({one.name for one in found}) < len(found):
        raise BrokenSite(f"{path}: two of them have one name: {', '.join(one.name for one in found)}")
    for one in found:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", one.name):
            raise BrokenSite(f"{path}: name={one.name!r}: use up to 64 small letters, digits and underscores")
        if not isfunction(function_of(one)):
            raise BrokenSite(f"{path}: {one.name} needs a plain function; the function's module is the rule's version")
        check_kinds(site, f"{path}: {one.name}", one.kind)
    return found


def check_kinds(site: Site, where: str, *kinds: str) -> None:
    """Raise BrokenSite for a kind that no parser of the site yields."""
    known = models_of(site)
    for kind in kinds:
        if kind not in known:
            raise BrokenSite(
                f"{where} names kind {kind!r}; the parsers of {site.name} yield {', '.join(known) or 'none'}"
            )
