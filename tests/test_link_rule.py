"""Links: which address one leads to, and why one is left alone."""

import pytest

from scraper.link_rule import NotFollowed, follow
from scraper.models import Link
from scraper.origin import Base
from scraper.sites import PageType, Site

SITE = Site(name="shop", origin="https://a.test/", pages={"page": PageType(parser="none", refresh="never")})


def followed(found: str, page: str = "https://a.test/d/", base: Base | None = None) -> str:
    try:
        return follow(Link(found, "page"), page, SITE, base)
    except NotFollowed as error:
        return error.reason


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("/ok1", "https://a.test/ok1"),
        ("ok2", "https://a.test/d/ok2"),
        (" x ", "https://a.test/d/x"),
        ("https://www.a.test/x", "https://www.a.test/x"),
        ("?/topic/5/&do=c", "https://a.test/d/?/topic/5/&do=c"),
        ("/s?q=" + "a" * 2479, "https://a.test/s?q=" + "a" * 2479),
        ("http://[IP-Adresse", "invalid"),
        ("http://a.test:port/", "invalid"),
        ("/p?n=1>text</a><li><a id=", "invalid"),
        ("http://", "invalid"),
        ("mailto:q@a.test", "scheme"),
        ("TEL:+1", "scheme"),
        ("javascript:void(0)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("file:///etc/hostname", "scheme"),
        ("https://b.test/", "offsite"),
        ("https://nota.test/", "offsite"),
    ],
)
def test_addresses(found: str, expected: str) -> None:
    assert followed(found) == expected


def test_a_link_that_names_the_base_is_the_sites() -> None:
    base = Base("https://a.test/", "http://127.0.0.1:8000/")
    assert followed("http://127.0.0.1:8000/x?y#z", base=base) == "https://a.test/x?y#z"
    assert followed("http://127.0.0.1:9000/x", base=base) == "offsite"
