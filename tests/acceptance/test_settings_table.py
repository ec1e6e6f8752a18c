"""Which setting wins, seen where it counts: in a crawl, and where files turn up. The table is in docs/settings.md."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scraper.settings import PROJECT_DIR
from tests.acceptance.tiny_site import FILES, add_site, write_pages
from tests.command_line import environment
from tests.site_copy import CopiedProject, copy_project
from tests.site_server import SiteServer

SPIDER = """
from scraper.discover.spider import SiteSpider
from spiders.{name} import SITE


class TellingSpider(SiteSpider):
    site = SITE
    custom_settings = {{"DOWNLOAD_DELAY": 0.01, "RETRY_TIMES": 8, "CONCURRENT_ITEMS": 9}}

    def seeds(self):
        for name in {names}:
            print(f"{{name}} is {{self.settings[name]}}")
        return super().seeds()
"""
NAMES = (
    "CONCURRENT_ITEMS",
    "CONCURRENT_REQUESTS",
    "CONCURRENT_REQUESTS_PER_DOMAIN",
    "DATABASE_URL",
    "CACHE_DIR",
    "EXPORT_DIR",
    "DOWNLOAD_DELAY",
    "DOWNLOAD_TIMEOUT",
    "DEPTH_LIMIT",
    "RETRY_TIMES",
)
NOWHERE = {"DATABASE_URL": "", "CACHE_DIR": "", "EXPORT_DIR": ""}


@pytest.fixture
def project(tmp_path: Path, fresh_sqlite: str) -> CopiedProject:
    """A copy of the project in a folder with spaces, with a site that says what its settings are."""
    copied = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path / "a folder of spaces"))
    add_site(
        copied,
        init=FILES["__init__.py"].format(name="tiny").replace("delay=0", "delay=99, concurrency=3"),
        spider=SPIDER.format(name="tiny", names=NAMES),
    )
    return copied


def settings_of(project: CopiedProject, *words: str, **env: str) -> dict[str, str]:
    """What a crawl of the site goes by, started from a folder that is not the project's, as cron does."""
    with SiteServer(write_pages(project.folder / "site", "one")) as server:
        ended = project.scrapy(
            *("crawl", "tiny", "-a", f"base={server.url}", *words),
            env={**NOWHERE, "PYTHONPATH": str(project.home), "LC_ALL": "C", **env},
            cwd=project.folder,
        )
    assert ended.code == 0, ended
    return dict(re.findall(r"^(\w+) is (.*)$", ended.out, re.M))


def test_each_row_of_the_table_wins_over_the_next(project: CopiedProject) -> None:
    home, place = project.home, project.folder
    (home / ".env").write_text("CACHE_DIR=from .env\nEXPORT_DIR=also/from .env\nDOWNLOAD_TIMEOUT=1\n", encoding="utf-8")
    told = settings_of(
        project,
        *("-s", "CONCURRENT_ITEMS=5", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2"),
        *("-s", f"DATABASE_URL=sqlite:///{place}/typed.sqlite"),
        DATABASE_URL=f"sqlite:///{place}/environment.sqlite",
        EXPORT_DIR=f"{place}/environment",
        DOWNLOAD_TIMEOUT="2",
    )
    assert told == {
        "CONCURRENT_ITEMS": "5",  # 1 over 2
        "CONCURRENT_REQUESTS_PER_DOMAIN": "2",  # 1 over 3
        "DATABASE_URL": f"sqlite:///{place}/typed.sqlite",  # 1 over 4
        "DOWNLOAD_DELAY": "0.01",  # 2 over 3 and 6
        "RETRY_TIMES": "8",  # 2 over 6
        "EXPORT_DIR": f"{place}/environment",  # 4 over 5
        "CACHE_DIR": f"{home}/from .env",  # 5 over 6, from the project's folder
        "CONCURRENT_REQUESTS": "16",  # 6
        "DOWNLOAD_TIMEOUT": "30",  # 6: no other name is read from the environment or .env
        "DEPTH_LIMIT": "0",  # 7
    }
    assert (place / "typed.sqlite").is_file()
    assert not (place / "environment.sqlite").exists()
    assert len(list((home / "from .env").glob("??/*.zst"))) == 2


def test_the_site_card_wins_over_the_project_and_all_is_kept_below_it(project: CopiedProject) -> None:
    told = settings_of(project)
    assert told["CONCURRENT_REQUESTS_PER_DOMAIN"] == "3"
    assert told["DATABASE_URL"] == f"sqlite:///{project.home}/var/scraper.sqlite"
    assert (project.home / "var" / "scraper.sqlite").is_file()
    assert len(list((project.home / "var" / "cache").glob("??/*.zst"))) == 2
    assert {one.name for one in project.folder.iterdir()} == {project.home.parent.name, "site"}

    place = {**NOWHERE, "PYTHONPATH": str(project.home), "DATABASE_URL": "sqlite:///var/scraper.sqlite"}
    ended = project.scrapy("export", "tiny", env=place, cwd=project.folder)
    assert ended.code == 0, ended
    assert (project.home / "var" / "exports" / "tiny-thing.csv").is_file()


def test_the_order_in_the_table_is_the_one_tested() -> None:
    text = (PROJECT_DIR / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d) \| ([^|]+) \|", text, re.M))
    signs = ["`-s NAME", "`custom_settings`", "site card", "environment", "`.env`", "`scraper/settings.py`", "defaults"]
    assert [sign in rows[str(number)] for number, sign in enumerate(signs, 1)] == [True] * 7, rows


def test_no_site_moves_what_all_share(project: CopiedProject) -> None:
    project.change("spiders/tiny/spider.py", '"RETRY_TIMES": 8', '"CACHE_DIR": "elsewhere"')
    refused = project.scrapy("crawl", "tiny")
    assert (refused.code, refused.out) == (1, "")
    [line] = refused.err.splitlines()
    assert "spiders/tiny/spider.py, line 6: ValueError: custom_settings cannot set CACHE_DIR" in line
    assert not (project.folder / "scraper.sqlite").exists()


@pytest.mark.parametrize(("words", "shown"), [((), False), (("-L", "INFO"), True)])
def test_at_a_terminal_the_log_leaves_room_for_the_bar(
    project: CopiedProject, words: tuple[str, ...], shown: bool
) -> None:
    ours, theirs = pty.openpty()
    with SiteServer(write_pages(project.folder / "site", "one")) as server:
        crawl = subprocess.Popen(
            [sys.executable, "-m", "scraper", "crawl", "tiny", "-a", f"base={server.url}", *words],
            cwd=project.home,
            env=environment(project.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        screen = bytearray()
        try:
            while piece := os.read(ours, 65536):
                screen += piece
        except OSError:  # Linux says so when the last writer has gone
            pass
        finally:
            os.close(ours)
        assert crawl.wait(60) == 0, screen
    assert (b" INFO: " in screen) is shown
    assert b"crawl tiny" in screen
