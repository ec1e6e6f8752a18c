"""Kept pages as files: named for their address, ended by what they are, written whole."""

import hashlib
from pathlib import Path

import pytest

from scraper.errors import CacheProblem
from scraper.models import Page
from scraper.parse.page_file import write_page_file

URL = "https://shop.example/a/b.html"


def write(folder: Path, url: str = URL, body: bytes = b"<p>", kind: str = "text/html; charset=utf-8") -> Path:
    page = Page(url=url, body=body, headers={"content-type": kind} if kind else {})
    return write_page_file(folder, "shop", page, hashlib.sha256(body).digest())


@pytest.mark.parametrize(
    ("kind", "body", "ending"),
    [
        ("text/html; charset=utf-8", b"x", ".html"),
        ("application/ld+json", b"{}", ".json"),
        ("application/json", b"{}", ".json"),
        ("application/rss+xml", b"<rss>", ".xml"),
        ("application/x-msdownload", b"MZ", ".bin"),
        ("application/javascript", b"x", ".bin"),
        ("", b"\n<html>", ".html"),
        ("", b'{"a":1}', ".json"),
        ("", b"x", ".bin"),
    ],
)
def test_the_ending_says_what_it_is_and_never_a_program(tmp_path: Path, kind: str, body: bytes, ending: str) -> None:
    file = write(tmp_path, body=body, kind=kind)
    assert file.suffix == ending
    assert file.read_bytes() == body


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (URL, "a-b"),
        ("https://shop.example/", "index"),
        ("https://shop.example/x/index.html?q=1&r=%2F..%2F", "x-q-1-r"),
        ("https://shop.example/..%2f..%2fetc/passwd", "etc-passwd"),
        ("https://shop.example/b%C3%BCcher", "b-cher"),
    ],
)
def test_the_name_is_readable_and_stays_in_its_folder(tmp_path: Path, url: str, name: str) -> None:
    file = write(tmp_path, url)
    assert file.parent == tmp_path / "pages" / "shop"
    assert file.name == f"{name}-{hashlib.sha256(b'<p>').hexdigest()[:8]}.html"


def test_long_addresses_and_other_contents_give_other_files(tmp_path: Path) -> None:
    long = [write(tmp_path, f"https://shop.example/{'x' * 300}{end}") for end in ("1", "2")]
    assert long[0] != long[1]
    assert len(long[0].name) < 100
    assert write(tmp_path, body=b"<p>1") != write(tmp_path, body=b"<p>2")
    assert write(tmp_path) == write(tmp_path)


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("in the way")
    with pytest.raises(CacheProblem, match="CACHE_DIR"):
        write(tmp_path)
