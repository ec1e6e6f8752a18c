"""Bytes become the text a browser would show, the same on every reading."""

import json

import pytest
from parsel import Selector

from scraper.text import clean, decode_html, decode_json, first_control


def title(body: bytes, content_type: str = "") -> str | None:
    return Selector(text=decode_html(body, content_type)).css("title::text").get()


@pytest.mark.parametrize(
    ("body_hex", "wanted"),
    [
        (
            "3c6d65746120636861727365743d69736f2d383835392d313e3c7469746c653e697492732080353c2f7469746c653e",
            "it’s €5",
        ),
        ("3c6d65746120636861727365743d6762323331323e3c7469746c653ed6ece946bbf93c2f7469746c653e", "朱镕基"),
        ("3c6d65746120636861727365743d277574662d3136273e3c7469746c653e636166c3a93c2f7469746c653e", "café"),
        ("efbbbf3c6d65746120636861727365743d69736f2d383835392d313e3c7469746c653e636166c3a93c2f7469746c653e", "café"),
    ],
    ids=["latin-1 is windows-1252", "gb2312 is gb18030", "a meta that says utf-16", "a BOM beats the meta"],
)
def test_real_pages(body_hex: str, wanted: str) -> None:
    assert title(bytes.fromhex(body_hex)) == wanted


@pytest.mark.parametrize(
    ("body", "content_type", "wanted"),
    [
        ("<meta charset=latin-1><title>é</title>".encode(), "text/html; charset=UTF-8", "é"),
        ("<title>é</title>".encode(), "text/html", "é"),
        ("<title>é</title>".encode("cp1252"), "text/html", "é"),
        ("<title>é</title>".encode("utf-16"), "text/html; charset=latin-1", "é"),
        ("\ufeff<title>é</title>".encode(), "text/html; charset=latin-1", "é"),
        ("<title>é</title>".encode("cp1252"), "text/html; charset=nonsense", "é"),
        (b"<title>a\xffb</title>", "text/html; charset=utf-8", "a\ufffdb"),
        (b"", "", None),
    ],
)
def test_bom_then_header_then_meta(body: bytes, content_type: str, wanted: str | None) -> None:
    assert title(body, content_type) == wanted


def test_a_bom_and_nul_are_no_text() -> None:
    assert decode_html(b"\xef\xbb\xbfa\x00b", "") == "ab"


def test_json_is_utf_8_and_holds_no_nul() -> None:
    assert json.loads(decode_json(b'{"t":"a\\u0000b"}')) == {"t": "ab"}
    assert json.loads(decode_json(b'\xef\xbb\xbf{"t":"\xc3\xa9"}')) == {"t": "é"}
    assert json.loads(decode_json('{"t":"é"}'.encode("utf-16"))) == {"t": "é"}
    assert json.loads(decode_json(rb'{"t":"a\\u0000b"}')) == {"t": r"a\u0000b"}, "an escaped backslash is no NUL"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  two\u00a0 \n words\t", "two words"),
        ("cafe\u0301", "café"),
        ("a\x96b it\x92s", "a–b it’s"),
        ("a\x81b\x00c", "abc"),
        ("a\x0bb", "a b"),
        ("a\ud800b", "a\ufffdb"),
        ("\x00\x81", ""),
    ],
)
def test_clean(text: str, wanted: str) -> None:
    assert clean(text) == wanted
    assert clean(wanted) == wanted
    assert first_control(clean(text)) is None


def test_the_first_control_is_named() -> None:
    assert first_control("a\x96\x00") == "U+0096"
    assert first_control("a\tb\r\n") is None


def test_numeric_references_mean_windows_1252_too() -> None:
    html = decode_html(bytes.fromhex("3c703e6126233135303b623c2f703e"), "text/html; charset=iso-8859-1")
    assert clean(Selector(text=html).css("p::text").get() or "") == "a–b"
