"""What to do about the pages in error: each group of reasons is healed by another command. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scraper.store.visit import HEALS_WITH_THE_PARSER, NEVER_HEALS_BY_ITSELF


def error_lines(site: str, reasons: Mapping[str, int]) -> Iterator[str]:
    """A line for each group of reasons, counted by code, with what to type."""
    mended = {code: count for code, count in reasons.items() if code in HEALS_WITH_THE_PARSER}
    stuck = {code: count for code, count in reasons.items() if code in NEVER_HEALS_BY_ITSELF}
    passing = {code: count for code, count in reasons.items() if code not in mended and code not in stuck}
    if mended:
        yield f"errors: {_named(mended)}; mend the parser, then type: scrapy reparse {site} --errors"
    if passing:
        yield f"errors: {_named(passing)}; the next crawl tries them again; sooner: {_requeue(site, passing)}"
    if stuck:
        yield f"errors: {_named(stuck)}; they stay so until they are put back: {_requeue(site, stuck)}"


def _named(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {code}" for code, count in sorted(reasons.items()))


def _requeue(site: str, reasons: Mapping[str, int]) -> str:
    """One command takes one reason."""
    return f"scrapy requeue {site} --reason {next(iter(reasons)) if len(reasons) == 1 else 'CODE'}"
