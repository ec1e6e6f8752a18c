"""What a parser made of a page, as aligned rows for a person, cut to the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from scraper.parse.try_page import Tried

MOST_RECORDS = 5
"""Records shown in full; `--json` has them all."""


def show(console: Console, tried: Tried) -> None:
    """Print it, the most important last."""
    for number, (kind, key, fields) in enumerate(tried.records[:MOST_RECORDS]):
        _print_cut(console, f"{kind} {','.join(map(str, key))}")
        _print_rows(console, [(name, _layer(tried, number, name, value), value) for name, value in fields.items()])
    if len(tried.records) > MOST_RECORDS:
        _print(console, f"and {len(tried.records) - MOST_RECORDS:,} more records (all of them: --json)")
    if not tried.records and tried.layers:
        _print(console, "matched before the error" if tried.failed else "matched")
        _print_rows(console, [(name, _layers(tried, name), "") for name in tried.layers])
    for line in _links(tried):
        _print(console, line)
    refused = [one for one in tried.refused if one.code != "parse"]
    for one in refused:
        _print(console, f"refused: {one.field or one.kind or 'record'}: {' '.join(one.reason.split())}", "red")
    missed = [one for one in tried.refused if one.code == "parse"]
    for one in missed:
        _print(console, f"error: {one.field}: {' '.join(one.reason.split())}", "red")
    if tried.error and not missed:
        _print(console, f"error: {tried.error}", "red")
    page = "; the page is in error, so nothing of it would be kept" if tried.error else ""
    _print(console, f"records: {len(tried.records):,}, refused: {len(refused):,}{page}; nothing was written")


def _links(tried: Tried) -> Iterator[str]:
    for name, links in tried.links.items():
        left = "".join(f", {count:,} not followed ({reason})" for reason, count in links.not_followed.items())
        yield f"links to {name}: {links.count:,}{left}"
        yield from (f"  {url}" for url in links.first)
        if links.count > len(links.first):
            yield f"  and {links.count - len(links.first):,} more"


def _layer(tried: Tried, number: int, name: str, value: Any) -> str:
    """The layer that gave the field of this record; what gave it on the page, where it was read for all records."""
    if value is None:
        return "-"
    return tried.record_layers[number].get(name) or ", ".join(tried.layers.get(name, {})) or "-"


def _layers(tried: Tried, name: str) -> str:
    """`css`, or `css 19, xpath 1` where it was looked for more than once."""
    found = tried.layers.get(name, {})
    if sum(found.values()) == 1:
        return next(iter(found))
    return ", ".join(f"{layer} {count}" for layer, count in found.items()) or "-"


def _print(console: Console, line: str, style: str = "") -> None:
    console.print(Text(line, style), soft_wrap=True)


def _print_rows(console: Console, rows: list[tuple[str, str, Any]]) -> None:
    """Aligned; only the last column gives way when the terminal is narrow."""
    name_width = max(len(name) for name, _, _ in rows)
    layer_width = max(len(layer) for _, layer, _ in rows)
    for name, layer, value in rows:
        words = "(none)" if value is None else " ".join(str(value).split())
        _print_cut(console, f"  {name:{name_width}}  {layer:{layer_width}}  {words}".rstrip())


def _print_cut(console: Console, line: str) -> None:
    console.print(Text(line), no_wrap=True, overflow="ellipsis")
