"""Makes drops of exceptions: one for each field that a parser or a pipeline names, else one for the whole. Pure."""

from __future__ import annotations

from typing import Any

from scraper.errors import SelectorMiss
from scraper.models import Record
from scraper.store.page_end import NewDrop
from scraper.validate.record_of import RecordRefused


def parse_drops(error: BaseException) -> list[NewDrop]:
    """The fields that selectors missed; none when the parser raised for another reason."""
    if not isinstance(error, SelectorMiss):
        return []
    return [NewDrop("parse", "parse", reason, field=name) for name, reason in error.reasons]


def item_drops(item: Any, error: BaseException | None) -> list[NewDrop]:
    """Why an item did not become a record of its page; `error` is None when a pipeline made something else of it."""
    if isinstance(error, RecordRefused):
        return [NewDrop("validate", "validate", why, kind=error.kind, field=name) for name, why in error.reasons]
    kind = item.kind if isinstance(item, Record) else None
    reason = f"{type(error).__name__}: {error}" if error else f"a pipeline made a {type(item).__name__} of the record"
    return [NewDrop("validate", "validate", reason[:500], kind=kind)]
