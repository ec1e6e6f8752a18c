"""What one cell of an export can hold, and its text: the same rules in every format."""

from __future__ import annotations

import json
import math
import types
import typing
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from scraper.store.canonical import canonical, plain

Value = str | int | float | bool | Decimal | datetime | date | time | list[Any] | dict[str, Any] | None
"""A cell. A list or a dict is a nested value; everything in it is plain JSON."""

Form = Literal["decimal", "moment", "day", "time", "any"]
"""How a stored JSON value is read back: these four are stored as text, any other is what JSON says."""

_FORMS: tuple[tuple[type, Form], ...] = ((Decimal, "decimal"), (datetime, "moment"), (date, "day"), (time, "time"))


def form_of(annotation: object) -> Form:
    """The form that a field's annotation asks for; of a union, the one all its members but None agree on."""
    for alias in ("__value__", "__supertype__"):  # `type Price = ...`, NewType
        annotation = getattr(annotation, alias, annotation)
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return form_of(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        forms = {form_of(one) for one in typing.get_args(annotation) if one is not type(None)}
        return forms.pop() if len(forms) == 1 else "any"
    if isinstance(annotation, type):
        return next((form for kind, form in _FORMS if issubclass(annotation, kind)), "any")
    return "any"


def read_value(form: Form, stored: Any) -> Value:
    """A stored JSON value in its form. One that an older model wrote and that does not fit is left as it was stored."""
    if isinstance(stored, str):
        try:
            match form:
                case "decimal":
                    number = Decimal(stored)
                    return number if number.is_finite() else stored
                case "moment":
                    return datetime.fromisoformat(stored)
                case "day":
                    return date.fromisoformat(stored)
                case "time":
                    return time.fromisoformat(stored)
        except (ValueError, InvalidOperation):
            return stored
    return typing.cast(Value, stored)


def is_number(value: Value) -> bool:
    """Whether JSON can carry a float: NaN and the infinities are no numbers there."""
    return not isinstance(value, float) or math.isfinite(value)


def text_of(value: Value) -> str:
    """The text of a cell: nothing for None, plain digits for numbers, ISO for times, JSON for nested values."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return format(Decimal(repr(value)), "f")  # never 1e-05
        case list() | dict():
            return canonical(value)
    return str(plain(value))


def json_of(row: dict[str, Value]) -> str:
    """A row as one line of strict JSON, names in the row's order; decimals and times as exact text."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain)
