"""Every kept page becomes what its json says, and no parser is without a page."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scraper.settings import PROJECT_DIR
from scraper.sites import load_site, site_names
from tests.keep_page import keep_page
from tests.kept_pages import PAGES, KeptPage, differences, kept_pages


@pytest.mark.parametrize("page", kept_pages(), ids=lambda page: page.name)
def test_the_page_becomes_its_truth(page: KeptPage) -> None:
    lines = differences(page.truth()["yields"], page.parsed())
    assert not lines, f"{page.name}\n" + "\n".join(lines)


@pytest.mark.parametrize("site", site_names())
def test_every_parser_has_a_kept_page(site: str) -> None:
    bare = set(load_site(site).pages) - {page.page_type for page in kept_pages() if page.site == site}
    assert not bare, f"no page in tests/pages/{site}/{bare}: python -m tests.keep_page {site} PAGE_TYPE FILE URL CASE"


def test_pages_and_truths_stand_in_pairs() -> None:
    truths = sorted(PAGES.glob("*/*/*.json"))
    assert truths == [page.html.with_suffix(".json") for page in kept_pages()]
    assert truths


def test_a_difference_names_the_field() -> None:
    wanted = [{"record": "book", "price": "51.77"}, {"link": "https://a.test/"}]
    found = [{"record": "book", "price": "51.70"}]
    assert differences(wanted, found) == [
        "1. price: must be '51.77', is '51.70'",
        "missing: {'link': 'https://a.test/'}",
    ]
    assert differences(found, wanted)[1] == "too many: {'link': 'https://a.test/'}"
    assert differences(wanted, wanted) == []


def test_keeping_a_page_writes_what_the_parser_gives(tmp_path: Path) -> None:
    one = next(page for page in kept_pages() if page.page_type == "book")
    url = one.truth()["url"]
    truth = keep_page("books", "book", one.html, url, "again", pages=tmp_path)
    assert json.loads(truth.read_text("utf-8")) == {"url": url, "yields": one.truth()["yields"]}
    assert truth.with_suffix(".html").read_bytes() == one.html.read_bytes()
    with pytest.raises(FileExistsError):
        keep_page("books", "book", one.html, url, "again", pages=tmp_path)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["books"], 2, "SITE PAGE_TYPE FILE URL CASE"),
        (["nosite", "book", "pyproject.toml", "https://a.test/", "x"], 1, "no site 'nosite'"),
        (["books", "book", "absent.html", "https://a.test/", "x"], 1, "absent.html"),
        (["books", "book", "pyproject.toml", "https://a.test/", "x"], 1, "wanted one, found 0"),
    ],
)
def test_wrong_use_is_one_line(words: list[str], code: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.keep_page", *words], cwd=PROJECT_DIR, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
