"""Addresses on another origin: both directions, and what is left alone."""

import pytest

from scraper.errors import WrongUsage
from scraper.origin import Base, parse_base

BOOKS = Base("https://books.toscrape.com/", "http://127.0.0.1:8000/")


@pytest.mark.parametrize(
    ("site", "wire"),
    [
        ("https://books.toscrape.com/", "http://127.0.0.1:8000/"),
        ("https://books.toscrape.com", "http://127.0.0.1:8000"),
        ("https://books.toscrape.com/a%20b/?q=%C3%A4&&x=#top", "http://127.0.0.1:8000/a%20b/?q=%C3%A4&&x=#top"),
        ("https://books.toscrape.com/?", "http://127.0.0.1:8000/?"),
        (
            "https://books.toscrape.com/at/https://books.toscrape.com/",
            "http://127.0.0.1:8000/at/https://books.toscrape.com/",
        ),
    ],
)
def test_there_and_back(site: str, wire: str) -> None:
    assert BOOKS.to_wire(site) == wire
    assert BOOKS.to_site(wire) == site


@pytest.mark.parametrize("url", ["HTTPS://Books.ToScrape.com:443/a", "https://books.toscrape.com:0443/a"])
def test_the_same_origin_written_otherwise(url: str) -> None:
    assert BOOKS.to_wire(url) == "http://127.0.0.1:8000/a"


@pytest.mark.parametrize(
    "url",
    [
        "http://books.toscrape.com/",
        "https://books.toscrape.com:444/",
        "https://books.toscrape.com.example/",
        "https://www.books.toscrape.com/",
        "https://books.toscrape.com:x/",
        "mailto:a@books.toscrape.com",
        "/catalogue/",
        "//books.toscrape.com/",
        "",
    ],
)
def test_other_addresses_pass_unchanged(url: str) -> None:
    assert BOOKS.to_wire(url) == url
    assert BOOKS.to_site(url) == url


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
        (" https://Mirror.Example ", "https://mirror.example/"),
        ("https://mirror.example:443/", "https://mirror.example/"),
        ("http://mirror.example:443/", "http://mirror.example:443/"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ],
)
def test_a_base(text: str, base: str) -> None:
    assert parse_base(text) == base


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://",
        "127.0.0.1:8000",
        "//127.0.0.1/",
        "ftp://127.0.0.1/",
        "file:///tmp/",
        "http://127.0.0.1/mirror/",
        "http://127.0.0.1/?a=1",
        "http://127.0.0.1/#a",
        "http://me:secret@127.0.0.1/",
        "http://127.0.0.1:port/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://two words/",
        "http://[::1/",
    ],
)
def test_no_base(text: str) -> None:
    with pytest.raises(WrongUsage, match="use scheme, host and port alone") as caught:
        parse_base(text)
    assert "\n" not in str(caught.value)
