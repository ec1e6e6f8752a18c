"""Every command has help with an example and refuses what it does not know."""

import importlib
import pkgutil
import re
from dataclasses import fields

import pytest
from scrapy import cmdline

import scraper.commands
from scraper.crawl_arguments import Arguments
from scraper.front_desk.replaced import Replaced
from scraper.settings import PROJECT_DIR
from tests.command_line import Project

ALL = sorted(module.name for module in pkgutil.iter_modules(scraper.commands.__path__))
REPLACED = [name for name in ALL if issubclass(importlib.import_module(f"scraper.commands.{name}").Command, Replaced)]
COMMANDS = [name for name in ALL if name not in REPLACED]


def test_readme_lists_the_commands() -> None:
    section = (PROJECT_DIR / "README.md").read_text(encoding="utf-8").split("## Commands")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)[^`]*` \|", section, re.M)) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_an_example(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "scraper.settings")
    with pytest.raises(SystemExit) as ended:
        cmdline.execute(["scrapy", name, "--help"])
    assert ended.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Example: scrapy {name}" in shown


@pytest.mark.parametrize("name", ["crawl", "run"])
def test_help_names_what_a_crawl_takes(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "scraper.settings")
    with pytest.raises(SystemExit):
        cmdline.execute(["scrapy", name, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("-a NAME=VALUE ") == 1
    assert all(f"{one.name}=" in shown.partition("-a NAME=VALUE ")[2] for one in fields(Arguments))


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_wrong_usage(name: str, project: Project) -> None:
    ended = project.scrapy(name, "books", "--no-such-option")
    assert ended.code == 2, ended
    assert "--no-such-option" in ended.err
    assert "Traceback" not in ended.out + ended.err
    assert not (project.folder / "scraper.sqlite").exists()


@pytest.mark.parametrize("name", REPLACED)
def test_scrapys_own_commands_that_would_go_past_the_queue_say_what_to_type(name: str, project: Project) -> None:
    ended = project.scrapy(name, "--spider=books", "https://books.toscrape.com/", "a", "b")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"scrapy {name}: not for a site folder: ")
    assert ended.err.count("\n") == 1
    assert not (project.folder / "scraper.sqlite").exists()
