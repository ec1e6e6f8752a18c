"""Scrapy finds sites by their folders: a broken one is named, is one line, and hides no other."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from scraper.errors import BrokenSite
from scraper.site_loader import SiteLoader

CARD = """
from datetime import timedelta
from scraper.sites import PageType, Site
SITE = Site(
    name="{name}", origin="https://{name}.example/",
    pages={{"page": PageType(parser="spiders.{name}.parsers.page", refresh="never")}},
)
"""
SPIDER = """
import scrapy
class Another(scrapy.Spider):
    name = "another"
class Ours(scrapy.Spider):
    name = "{name}"
"""
SITES = {
    "good": (CARD.format(name="good"), SPIDER.format(name="good")),
    "nameless": (CARD.format(name="nameless"), "import scrapy\n"),
    "torn": (CARD.format(name="torn"), "import scrapy\nimport no_such_module\n"),
    "ugly": ("SITE = (\n", SPIDER.format(name="ugly")),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose `spiders/` hold one good site and three that are broken, each in its way."""
    for name, (card, spider) in SITES.items():
        site = tmp_path / "spiders" / name
        site.mkdir(parents=True)
        (site / "__init__.py").write_text(card)
        (site / "spider.py").write_text(spider)
    (tmp_path / "spiders" / "__init__.py").touch()
    (tmp_path / "spiders" / "notes.py").write_text("raise RuntimeError('no site, so never imported')")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = scraper.settings\n")
    return tmp_path


@pytest.fixture
def loader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SiteLoader]:
    """The loader, with the project's own `spiders` package put aside."""
    ours = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "spiders"}
    for name in ours:
        del sys.modules[name]
    monkeypatch.syspath_prepend(folder)
    loader = get_spider_loader(Settings({"SPIDER_LOADER_CLASS": "scraper.site_loader.SiteLoader"}))
    assert isinstance(loader, SiteLoader)
    yield loader
    for name in [name for name in sys.modules if name.split(".")[0] == "spiders"]:
        del sys.modules[name]
    sys.modules.update(ours)


def test_lists_all_and_imports_none(loader: SiteLoader) -> None:
    assert loader.list() == ["good", "nameless", "torn", "ugly"]
    assert not [name for name in sys.modules if name.startswith("spiders.")]


def test_loads_the_spider_of_the_sites_name(loader: SiteLoader) -> None:
    spider = loader.load("good")
    assert (spider.name, spider.__name__) == ("good", "Ours")


def test_an_unknown_site_is_what_scrapy_expects(loader: SiteLoader) -> None:
    with pytest.raises(KeyError, match="Spider not found: none"):
        loader.load("none")
    with pytest.raises(KeyError, match="Spider not found: notes"):
        loader.load("notes")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nameless", "spiders/nameless/spider.py: it must define a Spider with name = 'nameless'"),
        ("torn", "spiders/torn/spider.py, line 2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("ugly", "spiders/ugly/__init__.py, line 1: SyntaxError: "),
    ],
)
def test_a_broken_site_is_one_line(loader: SiteLoader, name: str, says: str) -> None:
    with pytest.raises(BrokenSite) as caught:
        loader.load(name)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert loader.load("good").name == "good"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://good.example/a", ["good"]),
        ("https://www.Good.example:8443/a", ["good"]),
        ("https://nogood.example/", []),
        ("https://nameless.example/", ["nameless"]),
    ],
)
def test_the_sites_of_a_request(
    loader: SiteLoader, caplog: pytest.LogCaptureFixture, url: str, found: list[str]
) -> None:
    with caplog.at_level(logging.WARNING):
        assert loader.find_by_request(Request(url)) == found
    [skipped] = caplog.messages
    assert "spiders/ugly/__init__.py, line 1" in skipped


def test_scrapy_list_names_the_broken_ones_too(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "list"],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.split()) == (0, ["good", "nameless", "torn", "ugly"]), done.stderr
