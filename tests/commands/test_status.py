"""`scrapy status` says how the sites stand, to people and to programs."""

import json
import re

from scraper.settings import PROJECT_DIR
from tests.command_line import Project
from tests.commands.conftest import FREE, GONE, ORIGIN, Crawled


def keys(value: object) -> set[str]:
    """The keys of a status, without those that are names of page types, kinds, reasons and fields."""
    if isinstance(value, list):
        return set().union(*map(keys, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    named = {"errors", "refused", "records"}
    found = set(value)
    for key, inner in value.items():
        if key == "pages":
            found |= keys(list(inner.values()))
        elif key not in named:
            found |= keys(inner)
    return found


def test_json_balances_and_its_keys_are_documented(crawled: Crawled) -> None:
    assert crawled.ended.code == 1, crawled.ended  # 950 records are promised
    held = crawled.project.scrapy("export", "books")
    assert held.code == 4, held
    ended = crawled.project.scrapy("status", "--json")
    assert ended.code == 0, ended
    told = json.loads(ended.out)
    books = {site["site"]: site for site in told["sites"]}["books"]
    crawl = books["crawl"]
    for counts in (crawl, *crawl["pages"].values()):
        assert counts["discovered"] == sum(
            counts[name] for name in ("parsed", "fetched", "error", "pending", "in_progress")
        )
    assert (crawl["state"], crawl["discovered"], crawl["parsed"], crawl["error"]) == ("finished", 21, 19, 2)
    assert crawl["errors"]["gone"] == 1
    assert sum(crawl["errors"].values()) == 2
    assert crawl["pages"]["book"]["refused"].keys() >= {"price"}
    failed = {one["url"]: one for one in crawl["failed"]}
    assert failed.keys() == {ORIGIN + FREE, ORIGIN + GONE}
    assert (failed[ORIGIN + GONE]["code"], failed[ORIGIN + GONE]["page_type"]) == ("gone", "book")
    assert "price" in failed[ORIGIN + FREE]["reason"]
    assert books["base"] == crawled.site.url
    assert books["records"] == {"book": 18}
    assert books["promises_broken"] == ["records: 18, promised at least 950"]
    assert [one["result"] for one in books["exports"]] == ["quarantined"]
    assert books["runs"] == []
    documented = set(re.findall(r"`(\w+)`", (PROJECT_DIR / "docs/status.md").read_text(encoding="utf-8")))
    assert keys(told) - documented == set()


def test_a_person_reads_it_in_80_columns(crawled: Crawled) -> None:
    ended = crawled.project.scrapy("status", "books")
    assert ended.code == 0, ended
    row = next(line.split() for line in ended.out.splitlines() if line.split()[:2] == ["books", "1"])
    assert row[2] == "finished"
    assert row[-5:] == ["21", "19", "2", "0", "18"]
    assert all(len(line) <= 80 for line in ended.out.splitlines() if not line.startswith("books: "))
    assert "books: promise broken: records: 18, promised at least 950" in ended.out
    named = [line for line in ended.out.splitlines() if ORIGIN in line]
    assert len(named) == 2
    assert any(line.startswith(f"books: fetch/gone book {ORIGIN}{GONE}: HTTP 404") for line in named), named
    # What a mended parser heals needs no request; what the network did is tried again by itself.
    healed, passing = (line for line in ended.out.splitlines() if line.startswith("books: errors: "))
    assert healed.endswith("mend the parser, then type: scrapy reparse books --errors")
    assert passing == (
        "books: errors: 1 gone; the next crawl tries them again; sooner: scrapy requeue books --reason gone"
    )
    assert ORIGIN not in crawled.project.scrapy("status").out


def test_before_the_first_crawl(project: Project) -> None:
    ended = project.scrapy("status")
    assert ended.code == 0, ended
    assert "scrapy crawl books" in ended.out
    unknown = project.scrapy("status", "nowhere")
    assert unknown.code == 2
    assert "books" in unknown.err
