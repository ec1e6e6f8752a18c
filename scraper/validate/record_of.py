"""The rule that makes a record of an item, whatever kind of item it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from itemadapter import ItemAdapter
from pydantic import ValidationError
from scrapy.exceptions import DropItem

from scraper.models import Record, Refused, reasons_of
from scraper.store.canonical import canonical


class RecordRefused(DropItem):
    """An item that no model of the site accepts; carries the kind and a reason per field."""

    def __init__(self, kind: str | None, reasons: Sequence[tuple[str | None, str]]) -> None:
        super().__init__("; ".join(f"{name or 'record'}: {reason}" for name, reason in reasons), log_level="DEBUG")
        self.kind = kind
        self.reasons = tuple(reasons)


def record_of(item: Any, models: Sequence[type[Record]]) -> Record:
    """The item as a valid record; raises RecordRefused. An untyped item is validated when the site has one model."""
    if isinstance(item, Refused):
        raise RecordRefused(item.model.kind, item.reasons)
    if isinstance(item, Record):
        return _storable(item)
    if not ItemAdapter.is_item(item):
        raise RecordRefused(None, [(None, f"{type(item).__name__} is no item")])
    if len(models) != 1:
        names = ", ".join(model.__name__ for model in models) or "none"
        raise RecordRefused(None, [(None, f"an untyped item needs exactly one record model; the site has {names}")])
    try:
        return _storable(models[0](**ItemAdapter(item).asdict()))
    except ValidationError as error:
        raise RecordRefused(models[0].kind, reasons_of(error)) from error


def _storable(record: Record) -> Record:
    """The record, if every value has a form in canonical JSON; raises RecordRefused that names those that have none."""
    values = record.model_dump(mode="python")
    try:
        canonical(values)
    except (TypeError, ValueError):
        raise RecordRefused(record.kind, list(_without_form(values))) from None
    return record


def _without_form(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        try:
            canonical(value)
        except (TypeError, ValueError) as error:
            yield name, f"cannot be stored: {error}"
