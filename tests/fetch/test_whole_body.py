"""Only a whole body is a page: crawls of a server that cuts, lies and compresses; cases bd-01, -03, -05 and -07."""

import base64
import gzip
import zlib

import brotli
import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from scraper.fetch.whole_body import WholeBodyMiddleware
from scraper.store.body_store import zstd
from tests.fetch.crawl import Crawled, crawl
from tests.fetch.raw_server import RawServer, answer

PAGE = "<html><title>ok</title><body>größe</body></html>"
WHOLE = PAGE.encode()
HTML = "Content-Type: text/html; charset=utf-8"
CASE_BD_03 = base64.b64decode("H4sIAAAAAAACA7PJKMnNsbMpySzJSbXLz7bRh7BsCuwqRg==")
CASE_BD_05 = b"<html><body><div class=item>1</div><div cl"
CASE_BD_07 = base64.b64decode(
    "H4sIAAAAAAACA5Pv5mAAASbmzSc1Tp7duFnzpM5Jz62nz2+72L4hh+uNlhvjxQNu+w+cc5OXmcKw32nb/UBGBgYAovbIPjYAAAA="
)


def coded(coding: str, body: bytes, *headers: str, kind: str = HTML, **more: int) -> bytes:
    return answer(body, kind, f"Content-Encoding: {coding}", *headers, **more)


def chunked(body: bytes, *, end: bool) -> bytes:
    head = answer(b"", HTML, "Transfer-Encoding: chunked", length=-1)
    return head + b"%x\r\n%s\r\n" % (len(body), body) + (b"0\r\n\r\n" if end else b"")


GOOD = {
    "plain": answer(WHOLE, HTML),
    "chunked": chunked(WHOLE, end=True),
    "gzip": coded("gzip", gzip.compress(WHOLE)),
    "deflate": coded("deflate", zlib.compress(WHOLE)),
    "br": coded("br", brotli.compress(WHOLE)),
    "zstd": coded("ZSTD", zstd.compress(WHOLE)),
    "two-codings": coded("br, gzip", gzip.compress(brotli.compress(WHOLE))),
    "identity": coded("identity", WHOLE),
    "bd-01": coded("gzip", WHOLE),
    "no-length": answer(WHOLE, HTML, length=-1),
    "no-length-gzip": coded("gzip", gzip.compress(WHOLE), length=-1),
    "double-gzip": coded("gzip", gzip.compress(gzip.compress(WHOLE))),
    "unknown-coding": coded("rot13", WHOLE),
}
CUT = {
    "cut-length": answer(WHOLE[:20], HTML, length=len(WHOLE)),
    "cut-chunked": chunked(WHOLE[:20], end=False),
    "bd-03": coded("gzip", CASE_BD_03),
    "cut-gzip": coded("gzip", gzip.compress(WHOLE)[:-1]),
    "cut-deflate": coded("deflate", zlib.compress(WHOLE)[:-1]),
    "cut-br": coded("br", brotli.compress(WHOLE)[:-1]),
    "cut-zstd": coded("zstd", zstd.compress(WHOLE)[:-1]),
    "cut-double-gzip": coded("gzip", gzip.compress(gzip.compress(WHOLE)[:-1])),
    "cut-of-two": coded("br, gzip", gzip.compress(brotli.compress(WHOLE)[:-1])),
    "damaged-gzip": coded("gzip", gzip.compress(WHOLE)[:-8] + b"\x00" * 8),
    "damaged-br": coded("br", b"<html>"),
    "bd-05": answer(CASE_BD_05, HTML, length=-1),
    "bd-05-claims-gzip": coded("gzip", CASE_BD_05, length=-1),
}
OTHER = {
    "bd-07": coded("gzip", CASE_BD_07, kind="Content-Type: text/html"),
    "empty-gzip": coded("gzip", b""),
    "no-content": coded("gzip", b"", status="204 No Content"),
    "gone": answer(b"<h1>gone", HTML, status="404 Not Found", length=-1),
    "text-no-length": answer(b"a;b", "Content-Type: text/csv", length=-1),
    "archive": coded("gzip", gzip.compress(gzip.compress(WHOLE)), kind="Content-Type: application/gzip"),
    "bomb": coded("gzip", gzip.compress(b"0" * 2_000_000)),
}
ANSWERS = {**GOOD, **CUT, **OTHER}


@pytest.fixture(scope="module")
def server():
    mended: set[str] = set()

    def answer_for(path: str) -> bytes:
        name = path.lstrip("/")
        if name in mended or name not in ("once",):
            return ANSWERS.get(name, GOOD["plain"])
        mended.add(name)
        return CUT["cut-gzip"]

    with RawServer(answer_for) as server:
        yield server


@pytest.fixture(scope="module")
def seen(server: RawServer) -> Crawled:
    return crawl(*(f"{server.url}{name}" for name in (*ANSWERS, "once")), DOWNLOAD_MAXSIZE=1_000_000, RETRY_TIMES=2)


@pytest.mark.parametrize("name", GOOD)
def test_a_whole_page_arrives_at_once(server: RawServer, seen: Crawled, name: str) -> None:
    page = seen.pages[f"{server.url}{name}"]
    assert page["body"].encode("latin-1") == WHOLE
    assert page["kind"] == "HtmlResponse"
    assert page["coding"] == ("rot13" if name == "unknown-coding" else "")
    assert server.asked[f"/{name}"] == 1


@pytest.mark.parametrize("name", CUT)
def test_a_cut_page_is_retried_and_fails(server: RawServer, seen: Crawled, name: str) -> None:
    url = f"{server.url}{name}"
    assert url not in seen.pages
    error, reason = seen.failures[url]
    assert error == "ResponseDataLossError"
    if name not in ("cut-length", "cut-chunked"):  # there Scrapy's handler speaks, and gives no words
        assert reason.startswith("undecodable: " if "damaged" in name else "cut: ")
    assert server.asked[f"/{name}"] == (2 if "bd-05" in name else 3)


def test_a_page_cut_once_arrives_the_second_time(server: RawServer, seen: Crawled) -> None:
    assert seen.pages[f"{server.url}once"]["body"].encode("latin-1") == WHOLE
    assert server.asked["/once"] == 2


def test_a_page_compressed_twice_and_told_once_is_read(server: RawServer, seen: Crawled) -> None:
    page = seen.pages[f"{server.url}bd-07"]
    assert "<title>ok</title>" in page["body"]
    assert page["kind"] == "HtmlResponse"


def test_an_archive_in_transfer_coding_stays_an_archive(server: RawServer, seen: Crawled) -> None:
    assert gzip.decompress(seen.pages[f"{server.url}archive"]["body"].encode("latin-1")) == WHOLE


@pytest.mark.parametrize(
    ("name", "status", "body", "flags"),
    [
        ("empty-gzip", 200, "", []),
        ("no-content", 204, "", []),
        ("gone", 404, "<h1>gone", ["partial"]),
        ("text-no-length", 200, "a;b", ["partial"]),
        ("no-length", 200, WHOLE.decode("latin-1"), ["partial"]),
    ],
)
def test_what_is_left_alone(
    server: RawServer, seen: Crawled, name: str, status: int, body: str, flags: list[str]
) -> None:
    page = seen.pages[f"{server.url}{name}"]
    assert (page["status"], page["body"], page["flags"]) == (status, body, flags)


def test_a_bomb_is_refused_without_a_retry(server: RawServer, seen: Crawled) -> None:
    error, reason = seen.failures[f"{server.url}bomb"]
    assert error == "DownloadCancelledError"
    assert "unpacks to more than 1000000 bytes" in reason
    assert server.asked["/bomb"] == 1


def test_every_decision_is_counted(seen: Crawled) -> None:
    counted = {name: number for name, number in seen.stats.items() if name.startswith("body/")}
    assert counted == {
        "body/not_gzip": 1 + 2,  # bd-01; bd-05-claims-gzip twice
        "body/double_gzip": 1 + 3 + 1,  # double-gzip, cut-double-gzip three times, bd-07
        "body/cut": 7 * 3 + 1,  # `once` gives the last
        "body/undecodable": 2 * 3,
        "body/partial": 2 * 2,
        "body/unknown_coding": 1,
        "body/too_large": 1,
    }
    assert seen.stats["retry/reason_count/body/cut"] == 7 * 2 + 1


def test_a_server_that_lies_is_named_once(seen: Crawled) -> None:
    assert seen.log.count("does not begin like it: kept as it is") == 1


def test_no_retry_where_retrying_is_off(server: RawServer) -> None:
    url = f"{server.url}cut-zstd"
    before = server.asked["/cut-zstd"]
    assert crawl(url, RETRY_ENABLED=False).failures[url][0] == "ResponseDataLossError"
    assert server.asked["/cut-zstd"] == before + 1


@pytest.mark.parametrize(
    ("method", "flags"), [("HEAD", []), ("GET", ["cached"])], ids=["an answer to HEAD", "an answer from our cache"]
)
def test_what_is_not_judged(method: str, flags: list[str]) -> None:
    middleware = WholeBodyMiddleware.from_crawler(get_crawler())
    response = Response("http://shop.invalid/", headers={"Content-Encoding": "gzip"}, body=CASE_BD_03, flags=flags)
    assert middleware.process_response(Request(response.url, method=method), response) is response
