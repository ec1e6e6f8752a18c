"""A site fetched from another origin (`-a base=`): asked there, kept, parsed and exported under its real addresses."""

import csv
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.server import Answer
from tests.acceptance.tiny_site import add_site, listing_of, thing, write_pages
from tests.site_copy import CopiedProject, copy_project
from tests.site_server import SiteServer

REAL = "https://tiny.example/"


@pytest.fixture
def project(tmp_path: Path, fresh_sqlite: str) -> CopiedProject:
    """A copy of the project with a tiny site."""
    copied = CopiedProject(tmp_path, fresh_sqlite, home=copy_project(tmp_path))
    add_site(copied)
    return copied


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SiteServer]:
    """The tiny site on loopback: its links name the real origin, the base, or neither, and two of them redirect."""
    with SiteServer(write_pages(tmp_path / "site", "relative", "real", "base", "landed", "arrived")) as site:
        links = ("relative", f"{REAL}real", f"{site.url}base", f"{REAL}leaves", "goes", f"{site.url}base#again")
        site.override("/", listing_of(*links))
        site.override("/leaves", Answer(status=302, headers={"Location": f"{site.url}landed"}))
        site.override("/goes", Answer(status=301, headers={"Location": f"{REAL}arrived"}))
        yield site


def test_all_is_asked_at_the_base_and_kept_under_the_real_address(project: CopiedProject, server: SiteServer) -> None:
    ended = project.scrapy("run", "tiny", "-a", f"base={server.url}", "--format", "csv,jsonl,xlsx")
    assert ended.code == 0, ended
    assert server.requests == Counter(
        ["/", "/robots.txt", "/relative", "/real", "/base", "/leaves", "/landed", "/goes", "/arrived"]
    )
    records = {REAL + name for name in ("relative", "real", "base", "landed", "arrived")}
    with (project.export_dir / "tiny-thing.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} == records
    lines = (project.export_dir / "tiny-thing.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["url"] for line in lines} == records
    assert ended.out.count(server.url) == 0
    only_the_sites_row_names(server, project)

    # Links are mapped when a kept page is read again, too, and without being told the base.
    server.forget()
    ended = project.scrapy("reparse", "tiny", "--all")
    assert (ended.code, server.asked) == (0, []), ended
    only_the_sites_row_names(server, project)


def only_the_sites_row_names(server: SiteServer, project: CopiedProject) -> None:
    """Nothing in the database, and nothing exported, names the origin that was asked, but what remembers it."""
    with sqlite3.connect(project.folder / "scraper.sqlite") as connection:
        naming = [line for line in connection.iterdump() if f"127.0.0.1:{server.port}" in line]
        urls = [url for (url,) in connection.execute("SELECT url FROM urls")]
    connection.close()
    assert len(naming) == 1, naming
    assert re.match(r'INSERT INTO "sites" ', naming[0])
    paths = ["", "arrived", "base", "goes", "landed", "leaves", "real", "relative"]
    assert sorted(urls) == [REAL + path for path in paths]
    for file in project.export_dir.glob("*.manifest.json"):
        assert server.url not in file.read_text(encoding="utf-8")


def test_the_database_remembers_the_base_and_takes_no_other(project: CopiedProject, server: SiteServer) -> None:
    assert project.scrapy("crawl", "tiny", "-a", f"base={server.url}").code == 0
    server.forget()

    again = project.scrapy("crawl", "tiny")
    assert again.code == 0, again
    assert again.out.splitlines()[:2] == [
        "tiny: crawl 2 begins",
        f"tiny: {server.url} is asked, as this database remembers",
    ]
    assert server.asked == ["/robots.txt", "/"]  # refresh: the things are never asked again
    server.forget()

    for command in ("crawl", "run"):
        other = project.scrapy(command, "tiny", "-a", "base=http://127.0.0.1:9/")
        assert (other.code, other.out) == (2, "")
        [line] = other.err.splitlines()
        assert line == (
            f"scrapy {command}: this database holds tiny as fetched from {server.url}; "
            "leave base= out, or set DATABASE_URL to another database"
        )
    assert server.asked == []


def test_what_was_fetched_from_the_real_site_takes_no_base(project: CopiedProject, server: SiteServer) -> None:
    project.change("spiders/tiny/__init__.py", REAL, "https://127.0.0.1:9/")  # a real site that nobody answers for
    real = project.scrapy("crawl", "tiny", "-s", "RETRY_TIMES=0", "-s", "QUEUE_MAX_ATTEMPTS=1", "-s", "LOG_LEVEL=ERROR")
    assert real.code == 1, real
    refused = project.scrapy("crawl", "tiny", "-a", f"base={server.url}")
    assert (refused.code, refused.out, server.asked) == (2, "", [])
    [line] = refused.err.splitlines()
    assert "this database holds tiny as fetched from the real site; leave base=" in line


def test_a_page_of_the_base_is_one_page_however_it_is_named(project: CopiedProject, server: SiteServer) -> None:
    """`?a=1&b=2` on the base and `?b=2&a=1` on the real origin have one identity."""
    server.override("/", listing_of(f"{server.url}one?a=1&b=2", f"{REAL}one?b=2&a=1", "/one?a=1&b=2"))
    server.override("/one?a=1&b=2", thing("one"))
    assert project.scrapy("crawl", "tiny", "-a", f"base={server.url}").code == 0
    assert server.requests == Counter(["/robots.txt", "/", "/one?a=1&b=2"])
