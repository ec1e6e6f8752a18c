"""A site's parser, loaded by name: what it yields, its version, and how it is run."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from scraper.code_version import version_of
from scraper.errors import BrokenSite
from scraper.models import Link, Page, Record, Refused, parsing
from scraper.sites import Site, load_module


@dataclass(frozen=True)
class Parser:
    """One page type's parser. The annotation of its `parse` says what it yields, so nobody has to say it twice."""

    site: str
    """The site's name."""
    page_type: str
    """The page type it reads."""
    module: str
    """The module it stands in."""
    parse: Callable[[Page], Iterable[object]]
    """`parse(page) -> Iterator[Record | Link]`."""
    models: tuple[type[Record], ...]
    """The record models it may yield; none for a page that only yields links."""
    links: bool
    """Whether it may yield links."""
    version: str
    """Changes with the parser, its models, the field types and every other project module they import."""

    def run(self, page: Page) -> Iterator[Record | Refused | Link]:
        """What the page yields, one by one. Raises what the parser raises, and TypeError for a foreign value."""
        with parsing(page):
            output = iter(self.parse(page))
        while True:
            with parsing(page):
                try:
                    value = next(output)
                except StopIteration:
                    return
            yield self._declared(value)

    def _declared(self, value: object) -> Record | Refused | Link:
        """The value, when the annotation of `parse` names its type: version and columns are derived from it."""
        if isinstance(value, Link):
            return value
        if not isinstance(value, Record | Refused):
            raise TypeError(f"{self.module}.parse yielded {type(value).__name__}; it may yield records and links")
        model = value.model if isinstance(value, Refused) else type(value)
        if model not in self.models:
            raise TypeError(
                f"{self.module}.parse yielded {model.__name__}; name it: -> Iterator[{model.__name__} | ...]"
            )
        return value


@cache
def load_parser(site: str, page_type: str, module: str) -> Parser:
    """The parser of that module; raises BrokenSite when it is missing or does not say what it yields."""
    loaded = load_module(module)
    parse = getattr(loaded, "parse", None)
    path = module.replace(".", "/") + ".py"
    if not callable(parse):
        raise BrokenSite(f"{path}: it must define parse(page)")
    try:
        answer = typing.get_type_hints(parse).get("return")
    except (NameError, TypeError) as error:
        raise BrokenSite(f"{path}: the annotation of parse cannot be read: {error}") from error
    models = tuple(one for one in _yielded(answer) if isinstance(one, type) and issubclass(one, Record))
    if answer is None or not (models or Link in _yielded(answer)):
        raise BrokenSite(f"{path}: say what parse yields: def parse(page: Page) -> Iterator[MyRecord | Link]")
    for model in models:
        if not model.key:
            raise BrokenSite(f'{model.__module__}.{model.__name__}: it must name its key, like key = ("upc",)')
    return Parser(site, page_type, module, parse, models, Link in _yielded(answer), version_of(module))


def _yielded(answer: object) -> tuple[object, ...]:
    inner = typing.get_args(answer)[:1]
    if inner and typing.get_origin(inner[0]) in (typing.Union, types.UnionType):
        return typing.get_args(inner[0])
    return inner


def parsers_of(site: Site) -> dict[str, Parser]:
    """All parsers of a site by page type; raises BrokenSite for the first that cannot be loaded."""
    return {name: load_parser(site.name, name, page.parser) for name, page in site.pages.items()}


def models_of(site: Site) -> dict[str, type[Record]]:
    """The record models of a site by kind, in the order of the card; raises BrokenSite when two share a kind."""
    models: dict[str, type[Record]] = {}
    for parser in parsers_of(site).values():
        for model in parser.models:
            if models.setdefault(model.kind, model) is not model:
                raise BrokenSite(f"spiders/{site.name}: two models are of kind {model.kind!r}; give one another `kind`")
    return models
