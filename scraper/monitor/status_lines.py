"""The status of sites as a person reads it: a table of all, then a line for each thing to know of one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scraper.monitor.error_lines import error_lines
from scraper.monitor.status import SiteStatus, Status
from scraper.store.clock import to_datetime
from scraper.store.exports import ALL_KINDS

_NUMBERS = ("Pages", "Parsed", "Errors", "Left", "Records")


def show(console: Console, status: Status, *, details: bool) -> None:
    """Print it; 80 columns are enough. `details` adds the page types and the exact times."""
    shown = [site for site in status.sites if details or site.crawl or site.runs]
    if shown:
        console.print(_table(shown))
    else:
        names = ", ".join(site.name for site in status.sites if site.broken is None)
        _print(console, f"no site was crawled into {status.database} yet; there are: {names or 'none'}")
    if details:
        for site in shown:
            if site.crawl and site.crawl.figures["pages"]:
                console.print(_page_types(site))
    for site in status.sites:
        more = _times(site) if details else iter(())
        for line in chain(more, _lines(site, status.at)):
            _print(console, f"{site.name}: {line}")
    if not shown and status.sites:
        first = next((site.name for site in status.sites if site.broken is None), status.sites[0].name)
        _print(console, f"begin with: scrapy crawl {first}")


def _table(sites: list[SiteStatus]) -> Table:
    table = _plain("Site", "Crawl", "State", "Age")
    for site in sites:
        crawl = site.crawl
        row = [site.name, "-", site.state, "-", *["-"] * len(_NUMBERS)]
        if crawl is not None:
            counts = crawl.figures["status"]
            numbers = (crawl.figures["discovered"], counts["parsed"], counts["error"], crawl.left)
            row[1], row[3] = str(crawl.crawl.no), _span(crawl.age)
            row[4:] = [f"{number:,}" for number in (*numbers, sum((site.records or {}).values()))]
        table.add_row(*map(Text, row))
    return table


def _page_types(site: SiteStatus) -> Table:
    assert site.crawl is not None
    table = _plain("Page type", numbers=("Pages", "Parsed", "Errors", "Left"))
    for name, page in site.crawl.figures["pages"].items():
        left = sum(page["status"][one] for one in ("pending", "in_progress", "fetched"))
        numbers = (page["discovered"], page["status"]["parsed"], page["status"]["error"], left)
        table.add_row(Text(name), *(Text(f"{number:,}") for number in numbers))
    return table


def _plain(*columns: str, numbers: tuple[str, ...] = _NUMBERS) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _times(site: SiteStatus) -> Iterator[str]:
    if site.crawl is None:
        return
    crawl = site.crawl.crawl
    ended = f", ended {_time(crawl.finished_at)}" if crawl.finished_at else ""
    yield f"crawl {crawl.no} began {_time(crawl.started_at)}{ended}"
    for kind, count in (site.records or {}).items():
        yield f"{count:,} live records of kind {kind}"
    for page in site.crawl.failed:
        yield f"{page.stage}/{page.code} {page.page_type} {page.url}: {' '.join(page.reason.split()):.200}"


def _lines(site: SiteStatus, now: int) -> Iterator[str]:
    if site.broken:
        yield f"broken: {site.broken}"
    if site.base:
        yield f"fetched from {site.base}"
    if site.crawl and site.crawl.reason:
        yield f"crawl {site.crawl.crawl.no} is {site.crawl.crawl.state}: {site.crawl.reason}"
    for run in site.runs:
        beat = f"dead: {run.dead}" if run.dead else f"last beat {_span((now - run.beat_at) // 1_000_000)} ago"
        yield f"{run.stage} on {run.host}, pid {run.pid}, since {_time(run.started_at)}, {beat}"
    if site.crawl and site.state == "open":
        yield f"nobody works on crawl {site.crawl.crawl.no}; go on: scrapy crawl {site.name}"
    if site.crawl:
        yield from error_lines(site.name, site.crawl.figures["reasons"])
    for promise in site.promises_broken:
        yield f"promise broken: {promise}"
    for one in site.exports:
        holds = "" if one.records is None else f", {one.records:,} records"
        kind = "all kinds" if one.kind == ALL_KINDS else one.kind
        yield f"{one.format} of {kind} {one.result} {_time(one.at)}{holds}: {one.file}"


def _time(micros: int) -> str:
    return to_datetime(micros).strftime("%Y-%m-%d %H:%M:%S UTC")


def _span(seconds: int) -> str:
    """The largest unit and no more: `3 d`, `5 h`, `12 min`, `40 s`."""
    for unit, length in (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if seconds >= 2 * length.total_seconds():
            return f"{int(seconds // length.total_seconds())} {unit}"
    return f"{max(seconds, 0)} s"


def _print(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
