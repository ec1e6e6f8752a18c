"""One page read by its parser: everything it gave, sorted, and what went wrong. Touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scraper.models import Link, Page, Record
from scraper.parser import Parser
from scraper.queue.drops import item_drops, parse_drops
from scraper.queue.failure import one_line
from scraper.store.page_end import NewDrop
from scraper.validate.record_of import RecordRefused, record_of


@dataclass(frozen=True)
class Reading:
    """What a page gave."""

    records: tuple[Record, ...]
    """Valid records."""
    links: tuple[Link, ...]
    """Links, as the parser gave them."""
    drops: tuple[NewDrop, ...]
    """What was refused."""
    error: str | None
    """Why the parser did not come to its end, or None."""
    layers: tuple[Mapping[str, int], ...] = ()
    """For each record what its selectors matched (`price/css`): what `Page.matched` gained while it was made."""


def read_page(parser: Parser, page: Page) -> Reading:
    """Run the parser over the page and validate what it gives."""
    records: list[Record] = []
    links: list[Link] = []
    drops: list[NewDrop] = []
    layers: list[Mapping[str, int]] = []
    try:
        before = page.matched.copy()
        for value in parser.run(page):
            gained, before = page.matched - before, page.matched.copy()
            if isinstance(value, Link):
                links.append(value)
                continue
            try:
                records.append(record_of(value, parser.models))
                layers.append(gained)
            except RecordRefused as refused:
                drops += item_drops(value, refused)
    except Exception as error:  # noqa: BLE001 - a site's parser may raise anything; it costs this page, and is told
        return Reading((), (), tuple(parse_drops(error)), one_line(error))
    return Reading(tuple(records), tuple(links), tuple(drops), None, tuple(layers))
