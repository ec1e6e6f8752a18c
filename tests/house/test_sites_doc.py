"""docs/sites.md names everything a site is made of, and its recipe works as it stands there."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import scraper.fields
import scraper.parse.select
from demo.server import Answer, LoopbackServer
from scraper.enrich.enricher import Enricher
from scraper.models import Link, Page
from scraper.score.scorecard import Scorecard
from scraper.settings import PROJECT_DIR
from scraper.sites import PageType, Promises, Site
from tests.command_line import environment
from tests.site_copy import CopiedProject, copy_project

TEXT = (PROJECT_DIR / "docs" / "sites.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`(spiders/quotes/[\w/]+\.py)`\n\n```python\n(.*?)^```$", re.M | re.S)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)


def rows(heading: str) -> dict[str, str]:
    """The names in the first column of the first table under a heading, each with the cell after it."""
    section = TEXT.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    table = re.search(r"^\|.*\n\|(?:---\|)+\n((?:\|.*\n)+)", section, re.M)
    assert table is not None, heading
    cells = [line.split("|")[1:3] for line in table[1].splitlines()]
    return {name: cell.strip() for names, cell in cells for name in re.findall(r"`(\w+)", names)}


@pytest.mark.parametrize("one", [Site, PageType, Promises], ids=lambda one: one.__name__)
def test_every_field_of_the_card_is_named_and_whether_it_must_be_given(one: type) -> None:
    told = rows(f"## `{one.__name__}`")
    assert list(told) == [field.name for field in fields(one)]
    for field in fields(one):
        needed = field.default is MISSING and field.default_factory is MISSING
        assert (told[field.name] == "must be given") == needed, field.name
        if isinstance(field.default, int | float):
            assert told[field.name] == f"`{field.default}`", field.name


@pytest.mark.parametrize(
    ("one", "heading"), [(Enricher, "## Enrichers and scorecards"), (Page, "## What a parser is given, and may give")]
)
def test_every_field_of_what_is_handed_over_is_named(one: type, heading: str) -> None:
    assert {field.name for field in fields(one)} <= rows(heading).keys()


@pytest.mark.parametrize("one", [Link, Scorecard], ids=lambda one: one.__name__)
def test_every_field_of_the_second_table_is_named(one: type) -> None:
    table = TEXT.partition(f"| of `{one.__name__}` |")[2].partition("\n\n")[0]
    assert {field.name for field in fields(one)} <= set(re.findall(r"`(\w+)`", table))


def test_every_field_type_is_named() -> None:
    types = {name for name, value in vars(scraper.fields).items() if hasattr(value, "__metadata__")}
    assert rows("## Field types (`scraper.fields`)").keys() == types


def test_every_selector_is_named() -> None:
    own = {
        name
        for name, value in vars(scraper.parse.select).items()
        if inspect.getmodule(value) is scraper.parse.select and not name.startswith("_") and name != "AnyRecord"
    }
    assert rows("## Selectors (`scraper.parse.select`)").keys() == own


# --- the recipe ---


def listing(number: int) -> bytes:
    """Seventy quotes by one author, with a link to the second page on the first."""
    author = {1: "Albert Einstein", 2: "Jane Austen"}[number]
    card = (
        '<div class="quote"><span class="text">“{n}”</span><small class="author">{author}</small>'
        '<a href="/author/{path}/">(about)</a><a class="tag" href="/tag/life/">life</a></div>'
    )
    cards = (card.format(n=f"{number}.{n}", author=author, path=author.replace(" ", "-")) for n in range(70))
    further = '<li class="next"><a href="/page/2/">Next</a></li>' if number == 1 else ""
    return f"<html><body>{''.join(cards)}{further}</body></html>".encode()


def author(name: str) -> bytes:
    """The page of an author."""
    return (
        f'<html><body><h3 class="author-title">{name}</h3><p><strong>Born:</strong> '
        '<span class="author-born-date">March 14, 1879</span> '
        '<span class="author-born-location">in Ulm, Germany</span></p></body></html>'
    ).encode()


PAGES = {
    "/": listing(1),
    "/page/2/": listing(2),
    "/author/Albert-Einstein/": author("Albert Einstein"),
    "/author/Jane-Austen/": author("Jane Austen"),
}


@pytest.fixture
def url() -> Iterator[str]:
    """Two small listing pages and two authors, on loopback."""
    server = LoopbackServer(lambda path: Answer(PAGES[path]) if path in PAGES else Answer(b"", 404))
    server.start()
    yield server.url
    server.stop()


def programs(folder: Path, url: str) -> Path:
    """`scrapy` and `python` as they are typed; what asks the site asks the server, without waiting."""
    folder.mkdir()
    words = f"-a base={url} -s DOWNLOAD_DELAY=0 -L WARNING"
    scripts = {
        "scrapy": f'case "$1" in crawl|run|try) set -- "$@" {words};; esac\nexec "{sys.executable}" -m scraper "$@"',
        "python": f'exec "{sys.executable}" "$@"',
    }
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def test_the_recipe_makes_a_site(tmp_path: Path, fresh_sqlite: str, url: str) -> None:
    project = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path))
    shutil.copy2(PROJECT_DIR / "pyproject.toml", project.home)
    shutil.copytree(PROJECT_DIR / "tests", project.home / "tests", ignore=shutil.ignore_patterns("acceptance", "house"))
    shutil.copytree(PROJECT_DIR / "demo", project.home / "demo")
    files, commands = FILE.findall(TEXT), SHELL.findall(TEXT)
    assert len(files) + len(commands) == len(re.findall(r"^```\w+$", TEXT, re.M))
    for name, content in files:
        path = project.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    path = f"{programs(tmp_path / 'bin', url)}:/usr/local/bin:/usr/bin:/bin"
    said = ""
    for block in commands:
        done = subprocess.run(
            ["sh", "-euc", block],
            cwd=project.home,
            env=environment({**project.env, "PATH": path}),
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout
        assert done.returncode == 0, f"{block}\n{said}\n{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
    told = json.loads(project.scrapy("status", "quotes", "--json").out)["sites"][0]
    assert told["records"] == {"author": 2, "quote": 140}
    assert (told["crawl"]["state"], told["promises_broken"]) == ("finished", [])
    assert {one["result"] for one in told["exports"]} == {"published"}
    header, first = (project.export_dir / "quotes-author.csv").read_text(encoding="utf-8-sig").splitlines()[:2]
    assert header == "name,born,place,url,quotes,score,reasons"
    assert first.startswith("Albert Einstein,")
    assert "Ulm, Germany" in first
    assert ",70,100.0," in first
