"""Values that travel: a page reads itself once, a record is strict, a refusal is a value inside a parser."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from pydantic import ValidationError

from scraper.fields import CleanText
from scraper.models import Page, Record, Refused, page_being_parsed, parsing


class Thing(Record):
    key = ("name",)

    name: str
    note: str | None = None
    count: int | None = None
    tags: tuple[CleanText, ...] = ()
    row: list[CleanText | None] | None = None


PAGE = Page(url="https://shop.example/a", body=b'{"n": 1}')


def reasons(**data: Any) -> dict[str, str]:
    with parsing(PAGE):
        thing: Any = Thing(**data)
    assert isinstance(thing, Refused)
    return dict(thing.reasons)


def test_a_page_is_frozen_and_read_once() -> None:
    page = Page(url="https://shop.example/a", body=b"<p>x")
    with pytest.raises(FrozenInstanceError):
        page.url = "https://shop.example/b"  # type: ignore[misc]
    assert page.tree is page.tree
    assert page.html is page.html


@pytest.mark.parametrize("body", [b"", b"{", b"NaN", b'{"a": Infinity}', b"\xff"])
def test_what_is_no_json_raises_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        _ = Page(url="https://shop.example/a", body=body).json


def test_json() -> None:
    assert PAGE.json == {"n": 1}


@pytest.mark.parametrize(
    ("head", "base"),
    [("", "https://shop.example/a"), ("<base href='/b/'>", "https://shop.example/b/")],
)
def test_the_base_of_relative_addresses(head: str, base: str) -> None:
    assert Page(url="https://shop.example/a", body=head.encode()).base_url == base


def test_blank_is_none_where_it_may_be_and_refused_where_not() -> None:
    thing = Thing(name="a", note=" \n", count="")
    assert (thing.note, thing.count) == (None, None)
    assert reasons(name="  ") == {"name": "blank (given '  ')"}
    assert reasons(name=None) == {"name": "nothing, but a value is required (given None)"}
    assert reasons() == {"name": "Field required"}


def test_a_blank_in_a_list_stays_in_its_place() -> None:
    assert Thing(name="a", row=["x", "", "y"]).row == ["x", None, "y"]
    assert list(reasons(name="a", tags=("x", ""))) == ["tags.1"]


def test_an_unknown_field_is_refused() -> None:
    assert "Extra inputs" in reasons(name="a", colour="red")["colour"]


@pytest.mark.parametrize(
    ("field", "given"), [("count", "3"), ("count", 3.0), ("count", True), ("name", 3), ("note", b"x")]
)
def test_nothing_is_coerced(field: str, given: Any) -> None:
    assert repr(given) in reasons(**{"name": "a", field: given})[field]


@pytest.mark.parametrize("text", ["a\x96b", "a\x00b", "a\x0bb"])
def test_no_control_character_is_stored(text: str) -> None:
    assert "declare the field as CleanText" in reasons(name=text)["name"]
    assert Thing(name="a\nb").name == "a\nb"


def test_all_reasons_come_at_once_with_what_was_given() -> None:
    found = reasons(name="", count="many", colour=1)
    assert list(found) == ["name", "count", "colour"]
    assert found["count"].endswith("(given 'many')")


def test_a_long_value_is_cut_in_the_reason() -> None:
    assert len(reasons(name="a", count="9" * 1000)["count"]) < 200


def test_outside_a_parser_a_refusal_raises() -> None:
    with pytest.raises(ValidationError):
        Thing(name="")
    assert page_being_parsed() is None


def test_parsing_ends_with_its_block() -> None:
    other = Page(url="https://shop.example/b", body=b"")
    with parsing(PAGE):
        with parsing(other):
            assert page_being_parsed() is other
        assert page_being_parsed() is PAGE
    assert page_being_parsed() is None


def test_a_record_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Thing(name="a").name = "b"  # type: ignore[misc]


def test_the_kind_is_the_class_name_unless_stated() -> None:
    class BookReview(Record):
        text: str

    class Other(BookReview):
        kind = "opinion"

    assert (BookReview.kind, Other.kind, Thing.kind) == ("book_review", "opinion", "thing")


def test_a_key_names_fields() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.key names no field: isbn"):

        class Wrong(Record):
            key = ("isbn",)
            name: str
