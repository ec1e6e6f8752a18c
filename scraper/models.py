"""The values that are handed from room to room: what a parser gets, and what it may give."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from parsel import Selector
from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, field_validator
from w3lib.html import get_base_url

from scraper.text import decode_html, decode_json, first_control


@dataclass(frozen=True)
class Page:
    """One kept answer, as a parser sees it. It knows no network and no database, so parsing can be repeated."""

    url: str
    """The address the answer came from, on the real site (after redirects)."""
    body: bytes
    """The content, decompressed, byte for byte."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The answer's headers, names in lower case; several values joined by a comma."""
    status: int = 200
    """The HTTP status."""
    fetched_at: datetime | None = None
    """When the answer came (aware, UTC); what `yesterday` on the page is counted from."""
    locale: str | None = None
    """The site's language and region (`en-GB`): how amounts and dates are written there."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What the link handed over from the page that showed it."""
    matched: Counter[str] = field(default_factory=Counter, repr=False, compare=False)
    """Filled by the selectors: how often each field was found by which layer (`price/css`)."""

    @cached_property
    def html(self) -> str:
        """The body as text, by the rules browsers follow (BOM, then header, then meta), without NUL."""
        return decode_html(self.body, self.headers.get("content-type", ""))

    @cached_property
    def json(self) -> Any:
        """The body as JSON; raises ValueError when it is none."""
        return json.loads(decode_json(self.body), parse_constant=_no_json_constant)

    @cached_property
    def tree(self) -> Selector:
        """The HTML parsed, once for all selectors; it lives and dies with the page."""
        return Selector(text=self.html)

    @cached_property
    def base_url(self) -> str:
        """What relative addresses start from: `<base href>`, else the page's address."""
        return get_base_url(self.html, self.url)


def _no_json_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


@dataclass(frozen=True)
class Link:
    """An address found on a page, with the page type that will parse it."""

    url: str
    """The address as found; relative ones are resolved against the page."""
    page_type: str
    """A page type of the site card."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """JSON values handed to the page's parser as `page.context`."""
    priority: int = 0
    """Higher goes first; between -1,000,000 and 1,000,000."""


@dataclass(frozen=True)
class Refused:
    """A record that its model refuses: what a parser yields instead, so that its neighbours are kept."""

    model: type[Record]
    """The model that refused it."""
    data: Mapping[str, Any]
    """What the parser gave."""
    reasons: tuple[tuple[str, str], ...]
    """The refused fields with the reason of each."""


_inside_parser: ContextVar[Page | None] = ContextVar("inside_parser", default=None)


@contextmanager
def parsing(page: Page) -> Iterator[None]:
    """While it lasts, field types know the page (locale, address) and a refused record is a value, not an error."""
    token = _inside_parser.set(page)
    try:
        yield
    finally:
        _inside_parser.reset(token)


def page_being_parsed() -> Page | None:
    """The page whose parser runs now, or None outside a parser."""
    return _inside_parser.get()


def reasons_of(error: ValidationError) -> tuple[tuple[str, str], ...]:
    """The refused fields of a Pydantic error, each with its reason and the value it was given."""
    found = []
    for one in error.errors(include_url=False):
        name = ".".join(str(part) for part in one["loc"]) or "record"
        reason = one["msg"].removeprefix("Value error, ")
        given = "" if one["type"] == "missing" else f" (given {one['input']!r:.80})"
        found.append((name, f"{reason}{given}"))
    return tuple(found)


if TYPE_CHECKING:  # Pydantic's metaclass has no public name
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class RecordMeta(ModelMetaclass):
    """Makes `Book(...)` inside a parser give a `Refused` where the model says no; elsewhere it raises as ever."""

    def __call__(cls, *args: Any, **data: Any) -> Any:  # noqa: N805 - of a metaclass
        try:
            return super().__call__(*args, **data)
        except ValidationError as error:
            if page_being_parsed() is None:
                raise
            return Refused(model=cast("type[Record]", cls), data=data, reasons=reasons_of(error))


class Record(BaseModel, metaclass=RecordMeta):
    """What a page yields and we keep. Strict: no unknown field, no blank required text, no silent coercion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    key: ClassVar[tuple[str, ...]] = ()
    """The fields that identify a record of this kind within its site."""
    kind: ClassVar[str] = ""
    """The kind's name in tables and file names; the class name in lower case unless stated."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.kind = cls.__dict__.get("kind") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        if unknown := [name for name in cls.key if name not in cls.model_fields]:
            raise TypeError(f"{cls.__name__}.key names no field: {', '.join(unknown)}")

    @field_validator("*", mode="wrap")
    @classmethod
    def _blank_is_nothing(cls, value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        """A blank text is None where the field allows it, and refused as blank where it does not."""
        if isinstance(value, list | tuple):
            value = type(value)(None if _is_blank(one) else one for one in value)
        if value is not None and not _is_blank(value):
            return _without_controls(validate(value))
        try:
            return validate(None)
        except ValidationError as error:
            raise ValueError("blank" if isinstance(value, str) else "nothing, but a value is required") from error


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _without_controls(value: Any) -> Any:
    for text in value if isinstance(value, list | tuple) else (value,):
        if isinstance(text, str) and (found := first_control(text)):
            raise ValueError(f"control character {found}: declare the field as CleanText")
    return value
