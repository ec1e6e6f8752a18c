"""The server that stands for a site in the tests."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
import requests

from demo.server import Answer
from tests.site_server import SiteServer


@pytest.fixture
def site(tmp_path: Path):
    (tmp_path / "index.html").write_text("<h1>Shop</h1>")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text("<h1>A</h1>")
    with SiteServer(tmp_path) as site:
        yield site


def test_serves_the_folder_and_counts(site: SiteServer) -> None:
    with requests.Session() as session:
        first = session.get(site.url)
        assert (first.text, first.headers["Content-Type"]) == ("<h1>Shop</h1>", "text/html")
        assert session.get(f"{site.url}a/").text == "<h1>A</h1>"
        assert session.get(f"{site.url}a/index.html").text == "<h1>A</h1>"
        assert session.get(f"{site.url}robots.txt").status_code == 404
    assert site.asked == ["/", "/a/", "/a/index.html", "/robots.txt"]


def test_answers_in_turn_and_the_last_for_ever(site: SiteServer) -> None:
    site.override("/", 503, b"changed")
    with requests.Session() as session:
        assert [session.get(site.url).status_code for _ in range(3)] == [503, 200, 200]
        assert session.get(site.url).text == "changed"
        site.restore("/")
        assert session.get(site.url).text == "<h1>Shop</h1>"


def test_cuts_a_body_short(site: SiteServer) -> None:
    site.override("/", Answer(b"half", headers={"Content-Length": "8"}))
    with pytest.raises(requests.exceptions.ChunkedEncodingError), requests.Session() as session:
        session.get(site.url)


def test_stops_for_open_connections_too_and_starts_on_the_same_port(site: SiteServer) -> None:
    with requests.Session() as session:
        session.get(site.url)
        url = site.url
        site.stop()
        with pytest.raises(requests.exceptions.ConnectionError):
            session.get(url)
        site.start()
        assert session.get(url).status_code == 200


def test_sixteen_connections_do_not_wait_for_each_other(site: SiteServer) -> None:
    site.override("/", delay=0.2)
    began = monotonic()
    with ThreadPoolExecutor(16) as pool:
        codes = list(pool.map(lambda _: requests.get(site.url, timeout=10).status_code, range(16)))
    assert codes == [200] * 16
    assert monotonic() - began < 1.6  # one after the other would take 3.2 s
