"""What wins, as the table in docs/settings.md says: -s, custom_settings, site card, environment, .env, settings.py."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scraper.discover.spider import SiteSpider
from scraper.settings import PROJECT_DIR
from spiders.demo_shop import SITE


def delay(*, card: float | None = None, custom: float | None = None, typed: float | None = None) -> float:
    """DOWNLOAD_DELAY of a crawl where these say something."""

    class Spider(SiteSpider):
        site = replace(SITE, delay=card)
        custom_settings = None if custom is None else {"DOWNLOAD_DELAY": custom}

    settings = Settings()
    settings.setmodule("scraper.settings", priority="project")
    if typed is not None:
        settings.set("DOWNLOAD_DELAY", typed, priority="cmdline")
    Spider.update_settings(settings)
    return settings.getfloat("DOWNLOAD_DELAY")


@pytest.mark.parametrize(
    ("said", "wins"),
    [
        ({}, 6),
        ({"card": 10}, 10),
        ({"card": 0}, 0),
        ({"card": 10, "custom": 2}, 2),
        ({"custom": 2}, 2),
        ({"card": 10, "custom": 2, "typed": 0}, 0),
        ({"card": 10, "typed": 1}, 1),
    ],
)
def test_the_nearer_to_the_person_wins(said: dict[str, float], wins: float) -> None:
    assert delay(**said) == wins


def test_a_crawl_gets_what_won() -> None:
    class Spider(SiteSpider):
        site = replace(SITE, delay=10, concurrency=3)
        custom_settings = {"DOWNLOAD_DELAY": 2}  # noqa: RUF012 - as every Scrapy spider writes it

    settings = get_crawler(Spider).settings
    assert settings.getfloat("DOWNLOAD_DELAY") == 2
    assert settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == 3


@pytest.fixture
def project_folder(tmp_path: Path) -> Path:
    """A project with nothing but its settings, so that it may have a `.env` of its own."""
    (tmp_path / "scraper").mkdir()
    for name in ("__init__.py", "settings.py", "environment.py"):
        shutil.copy(PROJECT_DIR / "scraper" / name, tmp_path / "scraper")
    return tmp_path


def setting(folder: Path, name: str, **environment: str) -> str:
    """The value of a setting in that project, asked from another folder."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(folder)!r}); import scraper.settings as s; print(s.{name})",
        ],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["CACHE_DIR", "EXPORT_DIR"])
def test_environment_then_dotenv_then_settings(project_folder: Path, name: str) -> None:
    usual = str(project_folder / "var" / {"CACHE_DIR": "cache", "EXPORT_DIR": "exports"}[name])
    assert setting(project_folder, name) == usual
    (project_folder / ".env").write_text(f"{name}=from-dotenv\n")
    assert setting(project_folder, name) == str(project_folder / "from-dotenv")
    assert setting(project_folder, name, **{name: "/from/environment"}) == "/from/environment"
    assert setting(project_folder, name, **{name: ""}) == str(project_folder / "from-dotenv")


def test_the_database_too(project_folder: Path) -> None:
    assert setting(project_folder, "DATABASE_URL") == f"sqlite:///{project_folder}/var/scraper.sqlite"
    (project_folder / ".env").write_text("DATABASE_URL=mysql+pymysql://a@b/dotenv\n")
    assert setting(project_folder, "DATABASE_URL") == "mysql+pymysql://a@b/dotenv"
    assert setting(project_folder, "DATABASE_URL", DATABASE_URL="sqlite:////x") == "sqlite:////x"


def test_the_table_names_the_order_that_is_tested() -> None:
    text = (PROJECT_DIR / "docs" / "settings.md").read_text(encoding="utf-8")
    order = re.findall(r"^\| \d \| ([^|]+) \|", text, re.M)
    signs = ["-s NAME", "custom_settings", "site card", "environment", ".env", "scraper/settings.py", "defaults"]
    assert len(order) == len(signs)
    assert all(sign in said for sign, said in zip(signs, order, strict=True)), order
