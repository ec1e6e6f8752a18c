"""`scrapy try` shows what today's parser makes of a page, from wherever it is, and writes nothing."""

import json
from pathlib import Path

from sqlalchemy import func, select

from demo.server import Answer
from scraper.store.database import Database
from scraper.store.tables import metadata
from tests.commands.conftest import BOOK, FREE, ORIGIN, UPC, Crawled

NOT_CRAWLED = "catalogue/in-her-wake_980/index.html"
NOW = ("-s", "DOWNLOAD_DELAY=0", "-s", "RETRY_TIMES=0")


def contents(crawled: Crawled) -> tuple[dict[str, int], list[Path]]:
    """How many rows each table has, and the files of the cache."""
    database = Database(crawled.project.database_url)
    with database.read() as connection:
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }
    database.close()
    return rows, sorted(crawled.project.cache_dir.glob("??/*"))


def test_kept_pages_are_read_without_a_request(crawled: Crawled) -> None:
    crawled.site.forget()
    good = crawled.project.scrapy("try", "books", "book", UPC, env={"COLUMNS": "60"})
    assert good.code == 0, good
    rows = {line.split()[0]: line for line in good.out.splitlines() if line.startswith("  ")}
    assert rows["price"].split() == ["price", "css", "54.23"]
    assert rows["upc"].split() == ["upc", "xpath", UPC]
    assert len({rows[name].index(value) for name, value in (("price", "54.23"), ("upc", UPC))}) == 1
    assert all(len(line) <= 60 for line in rows.values())
    assert "kept page" in good.err

    bad = crawled.project.scrapy("try", "books", "book", ORIGIN + FREE)
    assert bad.code == 1, bad
    assert len([line for line in bad.out.splitlines() if line.startswith("refused: price:")]) == 1

    listing = crawled.project.scrapy("try", "books", "listing", crawled.site.url, "--json")
    assert listing.code == 0, listing
    read = json.loads(listing.out)
    assert read["links"]["book"]["count"] == 20
    assert len(read["links"]["book"]["first"]) == 10
    assert all(url.startswith(ORIGIN) for url in read["links"]["book"]["first"])
    assert read["records"] == []
    assert crawled.site.asked == []


def test_what_is_not_kept_is_asked_for_at_the_base_and_not_kept(crawled: Crawled, tmp_path: Path) -> None:
    before = contents(crawled)
    crawled.site.forget()
    ended = crawled.project.scrapy("try", "books", "book", ORIGIN + NOT_CRAWLED, "--json", *NOW)
    assert ended.code == 0, ended
    assert "not kept" in ended.err
    assert json.loads(ended.out)["records"][0]["fields"]["url"] == ORIGIN + NOT_CRAWLED
    assert crawled.site.asked == ["/robots.txt", f"/{NOT_CRAWLED}"]

    crawled.site.override("/robots.txt", b"User-agent: *\nDisallow: /\n")
    forbidden = crawled.project.scrapy("try", "books", "book", ORIGIN + NOT_CRAWLED, *NOW)
    crawled.site.restore("/robots.txt")
    assert forbidden.code == 1, forbidden
    assert "robots.txt" in forbidden.err

    crawled.site.override("/away.html", Answer(b"", 302, {"Location": "https://example.org/"}))
    away = crawled.project.scrapy("try", "books", "book", ORIGIN + "away.html", *NOW)
    crawled.site.restore("/away.html")
    assert away.code == 1, away
    assert "offsite request to 'example.org'" in away.err

    lost = crawled.project.scrapy("try", "books", "book", UPC, *NOW, env={"CACHE_DIR": str(tmp_path / "lost")})
    assert lost.code == 0, lost
    assert "missing" in lost.err
    assert not (tmp_path / "lost").exists()

    missing = crawled.project.scrapy("try", "books", "book", ORIGIN + "nowhere.html", *NOW)
    assert missing.code == 1, missing
    assert missing.err.splitlines()[-1].endswith("HTTP 404")
    assert contents(crawled) == before


def test_a_file_and_a_base_need_no_database(crawled: Crawled, tmp_path: Path) -> None:
    nowhere = {"DATABASE_URL": f"sqlite:///{tmp_path / 'none.sqlite'}"}
    file = str(crawled.site.file_of(f"/{BOOK}"))
    ended = crawled.project.scrapy("try", "books", "book", file, "--url", ORIGIN + BOOK, "--json", env=nowhere)
    assert ended.code == 0, ended
    assert json.loads(ended.out)["records"][0]["fields"]["url"] == ORIGIN + BOOK
    assert not (tmp_path / "none.sqlite").exists()

    base = ("-a", f"base={crawled.site.url}")
    asked = crawled.project.scrapy("try", "books", "book", crawled.site.url + BOOK, *base, "--json", *NOW, env=nowhere)
    assert asked.code == 0, asked
    assert json.loads(asked.out)["records"][0]["fields"]["url"] == ORIGIN + BOOK


def test_wrong_uses_say_what_there_is(crawled: Crawled) -> None:
    for words, code, said in (
        (("books", "novel", UPC), 2, "listing, book"),
        (("books", "book", "https://example.org/"), 2, "books.toscrape.com"),
        (("books", "book", "0000"), 1, "a key looks like "),
        (("books", "book", "nofile.html"), 2, "nofile.html: no such file"),
        (("books", "book", UPC, "-a", "limit=3"), 2, "base="),
        (("nowhere", "book", UPC), 2, "books"),
    ):
        ended = crawled.project.scrapy("try", *words)
        assert ended.code == code, ended
        assert said in ended.err
        assert "Traceback" not in ended.err
