"""One page read by today's parser to be looked at: fields, the layers that matched, refusals, links. Writes nothing."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scraper.errors import BrokenSite
from scraper.link_rule import NotFollowed, follow
from scraper.models import Link, Page, Record
from scraper.origin import Base
from scraper.parse.reading import read_page
from scraper.parser import Parser
from scraper.queue.ending import new_record
from scraper.sites import Site
from scraper.store.page_end import NewDrop

SHOWN = 10
"""Links shown of each page type; the rest is counted."""


@dataclass
class Links:
    """The links of a page to one page type."""

    count: int = 0
    """Those that are followed."""
    first: list[str] = field(default_factory=list)
    """The first ten of them."""
    not_followed: dict[str, int] = field(default_factory=dict)
    """Those that are not, by reason."""


@dataclass(frozen=True)
class Tried:
    """What today's parser makes of a page."""

    url: str
    """The page's address."""
    page_type: str
    """The page type it was read as."""
    records: tuple[tuple[str, tuple[Any, ...], Mapping[str, Any]], ...]
    """Valid records: kind, key and fields, of JSON values."""
    layers: Mapping[str, Mapping[str, int]]
    """By field: how often which layer of its selector matched."""
    refused: tuple[NewDrop, ...]
    """Fields that were refused, with the reason of each."""
    links: Mapping[str, Links]
    """Links by page type."""
    error: str | None
    """Why the parser did not come to its end, or None."""
    record_layers: tuple[Mapping[str, str], ...] = ()
    """For each record the layer that gave a field, where it was looked for in this record alone."""

    @property
    def failed(self) -> bool:
        """Whether a crawl would end the page as error."""
        return bool(self.refused or self.error)

    def as_json(self) -> dict[str, Any]:
        """The same, of JSON values."""
        return {
            "url": self.url,
            "page_type": self.page_type,
            "records": [{"kind": kind, "key": key, "fields": fields} for kind, key, fields in self.records],
            "layers": self.layers,
            "refused": [{"kind": one.kind, "field": one.field, "reason": one.reason} for one in self.refused],
            "links": {
                name: {"count": one.count, "first": one.first, "not_followed": one.not_followed}
                for name, one in self.links.items()
            },
            "error": self.error,
        }


def try_page(site: Site, base: Base | None, parser: Parser, page: Page) -> Tried:
    """Read the page as a crawl would."""
    reading = read_page(parser, page)
    layers: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for matched, count in page.matched.items():
        name, _, layer = matched.rpartition("/")
        layers[name][layer] = count
    error = reading.error
    links: defaultdict[str, Links] = defaultdict(Links)
    try:
        _sort(links, site, base, reading.links, page)
    except BrokenSite as wrong:  # a link to a page type that the card has not: in a crawl the parser's fault, too
        error = str(wrong)
    return Tried(
        url=page.url,
        page_type=parser.page_type,
        records=tuple(_shown(record) for record in reading.records),
        layers=dict(layers),
        refused=reading.drops,
        links=dict(links),
        error=error,
        record_layers=tuple(map(_own_layers, reading.layers)),
    )


def _own_layers(matched: Mapping[str, int]) -> Mapping[str, str]:
    """The layer by field; without those that matched more than once: a parser that reads all before it yields one."""
    names = [found.rpartition("/") for found in matched]
    seen = Counter(name for name, _, _ in names)
    return {name: layer for name, mark, layer in names if seen[name] == 1 and matched[name + mark + layer] == 1}


def _shown(record: Record) -> tuple[str, tuple[Any, ...], Mapping[str, Any]]:
    """As the store would have it, so that an amount is the same text here and there."""
    stored = new_record(record)
    data = json.loads(stored.data)
    return stored.kind, tuple(json.loads(stored.key)), {name: data[name] for name in type(record).model_fields}


def _sort(links: Mapping[str, Links], site: Site, base: Base | None, found: Sequence[Link], page: Page) -> None:
    for link in found:
        of_type = links[link.page_type]
        try:
            url = follow(link, page.base_url, site, base)
        except NotFollowed as left:
            of_type.not_followed[left.reason] = of_type.not_followed.get(left.reason, 0) + 1
            continue
        of_type.count += 1
        if len(of_type.first) < SHOWN:
            of_type.first.append(url)
