"""The identity of requests: equal for spellings of one page, different for different pages, stable when repeated."""

import pytest
from scrapy import Request

from scraper.queue.identity import address_key, authority, identity, repeated
from scraper.queue.new_url import new_url


def same(*urls: str) -> set[bytes]:
    return {identity(Request(url)) for url in urls}


@pytest.mark.parametrize(
    "urls",
    [
        ("http://shop.test", "http://shop.test/", "HTTP://Shop.TEST:80/", "http://shop.test./"),
        ("https://shop.test:443/a", "https://shop.test/a", "https://shop.test/a#part"),
        ("http://shop.test/p?a=1&b=2", "http://shop.test/p?b=2&a=1"),
        ("http://bücher.test/ä", "http://xn--bcher-kva.test/%C3%A4"),
        ("http://shop.test/item/7;jsessionid=0A1B2C.node3_x?v=2", "http://shop.test/item/7?v=2"),
    ],
)
def test_spellings_of_one_page_share_a_key(urls: tuple[str, ...]) -> None:
    assert len(same(*urls)) == 1


@pytest.mark.parametrize(
    "urls",
    [
        ("http://shop.test/a", "https://shop.test/a", "http://shop.test/a/", "http://shop.test:8080/a"),
        ("http://v.test/w/AbC9", "http://v.test/w/abc9"),
        ("http://shop.test/sale/50%25/", "http://shop.test/sale/50%2525/"),
        ("http://a.test/x", "http://a.test/x%20"),
        ("http://shop.test/p?a=1", "http://shop.test/p?a=2"),
    ],
)
def test_different_pages_have_different_keys(urls: tuple[str, ...]) -> None:
    assert len(same(*urls)) == len(urls)


@pytest.mark.parametrize("url", ["http://shop.test/sale/50%25/", "http://shop.test/sale/50%2525/"])
def test_the_key_of_a_key_is_itself(url: str) -> None:
    """w3lib#131: a normaliser that decodes %25 changes the address again at the second pass."""
    assert address_key(url) == url == address_key(address_key(url))


@pytest.mark.parametrize("url", ["http://forum.test/i.php?/topic/5/&do=c", "http://shop.test/p.php?print"])
def test_the_key_is_never_what_is_sent(url: str) -> None:
    """scrapy#1941: servers answer the canonical form with an error page."""
    assert new_url(Request(url), None, {}).url == url


def test_method_body_and_what_the_page_type_varies_by_count() -> None:
    get, post = Request("http://a.test/"), Request("http://a.test/", method="POST", body=b"q=1")
    german = Request("http://a.test/", headers={"Accept-Language": "de"})
    euro = Request("http://a.test/", cookies={"currency": "EUR", "tracking": "1"})
    assert identity(get) != identity(post) != identity(post.replace(body=b"q=2"))
    assert identity(get) == identity(german)
    assert identity(get, ["Accept-Language"]) != identity(german, ["Accept-Language"])
    assert identity(get) == identity(euro)
    assert identity(get, ["cookie:currency"]) != identity(euro, ["cookie:currency"])
    other = euro.replace(cookies=[{"name": "currency", "value": "EUR"}])
    assert identity(other, ["cookie:currency"]) == identity(euro, ["cookie:currency"])


def test_a_request_repeated_on_purpose_is_another_row_and_the_same_after_a_crash() -> None:
    plain = identity(Request("http://a.test/"))
    assert repeated(plain, 1, 1, 0) == repeated(plain, 1, 1, 0)
    assert len({plain, repeated(plain, 1, 1, 0), repeated(plain, 1, 1, 1), repeated(plain, 2, 1, 0)}) == 4


def test_a_page_that_asks_for_itself_again_and_again_ends() -> None:
    from scraper.queue.new_url import MOST_GENERATIONS
    from tests.queue.rows import claimed

    request = Request("http://a.test/", dont_filter=True)
    assert new_url(request, None, {}, claimed(generation=MOST_GENERATIONS - 1)).refusal is None
    assert "again" in (new_url(request, None, {}, claimed(generation=MOST_GENERATIONS)).refusal or "")


@pytest.mark.parametrize("url", ["http://", "http://a.test:port/"])
def test_an_address_without_a_host_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"host|Port"):
        authority(url)
