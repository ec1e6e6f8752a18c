"""A site fetched from its base: the wire sees the base alone, everybody above sees the site alone."""

from urllib.parse import urljoin

import pytest

from tests.fetch.crawl import Crawled, crawl
from tests.fetch.raw_server import RawServer, answer

ORIGIN = "https://shop.invalid/"
"""Resolves nowhere, so a request that is not mapped fails."""
PAGE = "<html><title>größe</title></html>".encode()


@pytest.fixture(scope="module")
def server():
    def answer_for(path: str) -> bytes:
        targets = {
            "/relative": "deep/page?a=1",
            "/absolute": f"{ORIGIN}page",
            "/base": urljoin(server.url, "/page"),
            "/no-scheme": server.url.removeprefix("http:") + "page",
        }
        if path in targets:
            return answer(b"", f"Location: {targets[path]}", status="302 Found")
        return answer(PAGE, "Content-Type: text/html", f"Refresh: 5; url={server.url}next", "Set-Cookie: a=1")

    with RawServer(answer_for) as server:
        yield server


@pytest.fixture(scope="module")
def seen(server: RawServer) -> Crawled:
    urls = [f"{ORIGIN}{path}" for path in ("page#part", "relative", "absolute", "base", "no-scheme")]
    return crawl(*urls, f"{server.url}other", base=(ORIGIN, server.url), RETRY_TIMES=0)


def test_all_arrive(seen: Crawled) -> None:
    assert seen.failures == {}
    assert len(seen.pages) == 6
    assert {page["body"].encode("latin-1") for page in seen.pages.values()} == {PAGE}
    assert {page["kind"] for page in seen.pages.values()} == {"HtmlResponse"}


@pytest.mark.parametrize(
    ("asked", "came_from"),
    [
        ("page#part", "page"),
        ("relative", "deep/page?a=1"),
        ("absolute", "page"),
        ("base", "page"),
        ("no-scheme", "page"),
    ],
)
def test_answers_and_redirects_keep_the_real_address(seen: Crawled, asked: str, came_from: str) -> None:
    assert seen.pages[f"{ORIGIN}{asked}"]["url"] == f"{ORIGIN}{came_from}"


def test_a_refresh_that_names_the_base_names_the_site(seen: Crawled) -> None:
    assert seen.pages[f"{ORIGIN}page#part"]["refresh"] == f"5; url={ORIGIN}next"


def test_other_origins_are_asked_as_they_are(server: RawServer, seen: Crawled) -> None:
    assert seen.pages[f"{server.url}other"]["url"] == f"{server.url}other"


def test_the_wire_names_the_base(server: RawServer, seen: Crawled) -> None:
    assert server.hosts == {server.url.removeprefix("http://").rstrip("/")}
    assert server.asked["/page"] == 4


def test_the_latency_reaches_the_request(seen: Crawled) -> None:
    assert all(page["latency"] > 0 for page in seen.pages.values())
