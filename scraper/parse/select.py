"""Selectors that say how many values they expect, and fail with their own name, what they wanted and what they found.

A selector is a row of layers, tried in order, and the first that gives anything not blank is taken: CSS, then XPath,
each cut by the regex where there is one; a regex alone reads the page's source; `a | b` tries b's layers after a's:

    one(css=".price::text", xpath="//p[@class='price']/text()") | one(regex=r'"price":"([\\d.,]+)"')

`::text`, `::attr(x)`, `text()` and `@x` give single text nodes and attributes. An element gives its whole text, as one
value: nested text nodes joined by single blanks (none before closing punctuation), without scripts, styles and
footnote marks (a `<sup>` of one sign). So the empty cell of a row stays in its place, as "".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from parsel import Selector

from scraper.errors import SelectorMiss
from scraper.models import Page, Record, Refused, page_being_parsed
from scraper.parse.layers import Layer, layers

_SHOWN = 3  # values named in a reason; more do not help to see what is wrong

AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True)
class Wanted:
    """What a field is found by, and how often; made by `one`, `maybe` and `many`."""

    least: int
    """So many values at least."""
    most: int | None
    """So many at most; None for no bound, and then the field is a list."""
    layers: tuple[Layer, ...]
    """Tried in this order."""

    def __or__(self, other: "Wanted") -> "Wanted":
        if (self.least, self.most) != (other.least, other.most):
            raise ValueError(f"{self.amount} | {other.amount}: both sides must expect the same number")
        return _wanted(self.least, self.most, (*self.layers, *other.layers))

    @property
    def amount(self) -> str:
        """How many it expects, in words."""
        if self.most is None:
            return f"{self.least} or more"
        return "one" if self.least else "one or none"

    def find(self, where: Page | Selector) -> tuple[Layer | None, list[str]]:
        """The layer that found anything, and what it found; raises ValueError with the reason of a miss."""
        for layer in self.layers:
            values = layer.values(_tree(where), lambda: where.html if isinstance(where, Page) else str(where.get()))
            told = [value for value in values if value]
            if told:
                kept = values if self.most is None else told
                return layer, self._counted(kept, (layer,))
        return None, self._counted([], self.layers)

    def _counted(self, values: list[str], tried: tuple[Layer, ...]) -> list[str]:
        if len(values) >= self.least and (self.most is None or len(values) <= self.most):
            return values
        shown = ", ".join(f"{value!r:.40}" for value in values[:_SHOWN]) + (", ..." if len(values) > _SHOWN else "")
        found = f"{len(values)}: {shown}" if shown else "0"
        raise ValueError(f"wanted {self.amount}, found {found} ({_expressions(tried)})")


def one(*, css: str | None = None, xpath: str | None = None, regex: str | None = None) -> Wanted:
    """Exactly one value, a str."""
    return _wanted(1, 1, layers(css, xpath, regex))


def maybe(*, css: str | None = None, xpath: str | None = None, regex: str | None = None) -> Wanted:
    """One value or none, a str or None."""
    return _wanted(0, 1, layers(css, xpath, regex))


def many(*, css: str | None = None, xpath: str | None = None, regex: str | None = None, least: int = 1) -> Wanted:
    """A list of str, one at least; `least=0` says that none is fine too."""
    return _wanted(least, None, layers(css, xpath, regex))


def read(where: Page | Selector, selectors: Mapping[str, Wanted]) -> dict[str, Any]:
    """The value of each field; raises one SelectorMiss that names every field that was missed.

    `where` is a page or an element of it, from `each`. The layer that matched is counted in the page's `matched`.
    """
    page = where if isinstance(where, Page) else page_being_parsed()
    found: dict[str, Any] = {}
    misses: list[tuple[str, str]] = []
    for name, wanted in selectors.items():
        _refuse_absolute(name, wanted.layers, where)
        try:
            layer, values = wanted.find(where)
        except ValueError as error:
            misses.append((name, str(error)))
            continue
        found[name] = values if wanted.most is None else values[0] if values else None
        if page is not None and layer is not None:
            page.matched[f"{name}/{layer.kind}"] += 1
    if misses:
        raise SelectorMiss(tuple(misses))
    return found


def each(where: Page | Selector, *, css: str | None = None, xpath: str | None = None, least: int = 1) -> list[Selector]:
    """The elements to `read` one by one, such as the cards of a listing; fewer than `least` is a miss."""
    tried = tuple(layers(css, xpath, None))
    _refuse_absolute("each", tried, where)
    found: list[Selector] = []
    for layer in tried:
        found = found or list(_tree(where).xpath(str(layer.xpath)))
    if len(found) < least:
        raise SelectorMiss((("each", f"wanted {least} or more, found {len(found)} ({_expressions(tried)})"),))
    return found


def read_record(
    model: type[AnyRecord], where: Page | Selector, selectors: Mapping[str, Wanted], **known: object
) -> AnyRecord:
    """`model(**known, **read(where, selectors))`, where a miss refuses this record alone: its neighbours are kept."""
    try:
        found = read(where, selectors)
    except SelectorMiss as miss:
        if page_being_parsed() is None:
            raise
        return cast("AnyRecord", Refused(model, known, miss.reasons))
    return model(**known, **found)


def _wanted(least: int, most: int | None, tried: Iterable[Layer]) -> Wanted:
    numbered: list[Layer] = []
    for layer in tried:
        kind = layer.kind.rstrip("0123456789")
        nth = 1 + sum(other.kind.startswith(kind) for other in numbered)
        numbered.append(replace(layer, kind=kind if nth == 1 else f"{kind}{nth}"))
    return Wanted(least, most, tuple(numbered))


def _refuse_absolute(name: str, tried: Iterable[Layer], where: Page | Selector) -> None:
    """`//p` asks the whole document, so every card would get the first card's value."""
    if isinstance(where, Page):
        return
    for layer in tried:
        if layer.kind.startswith("xpath") and layer.text.lstrip(" (").startswith("/"):
            raise ValueError(f"{name}: xpath {layer.text} reads the whole page; inside an element write .//")


def _tree(where: Page | Selector) -> Selector:
    return where.tree if isinstance(where, Page) else where


def _expressions(tried: Iterable[Layer]) -> str:
    return "; ".join(f"{layer.kind} {layer.text}" for layer in tried)
