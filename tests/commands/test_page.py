"""`scrapy page` gives a kept page as a file, whatever became of the page, and says what to type when it cannot."""

from pathlib import Path

from tests.command_line import Project
from tests.commands.conftest import BOOK, FREE, GONE, ORIGIN, UPC, Crawled


def test_by_address_by_the_base_and_by_key(crawled: Crawled) -> None:
    for what in (ORIGIN + BOOK, crawled.site.url + BOOK + "#top", UPC):
        ended = crawled.project.scrapy("page", "books", what)
        assert ended.code == 0, ended
        file = Path(ended.out.removesuffix("\n"))
        assert file.parent == crawled.project.cache_dir / "pages" / "books"
        assert file.name.startswith("catalogue-sapiens-a-brief-history-of-humankind_996-")
        assert file.suffix == ".html"
        assert file.read_bytes() == crawled.site.file_of(f"/{BOOK}").read_bytes()
        assert ORIGIN + BOOK in ended.err
        assert "HTTP 200" in ended.err
    assert len(list(file.parent.glob(f"*sapiens*{file.suffix}*"))) == 1


def test_a_page_in_error_is_shown_with_its_reason_and_opened(crawled: Crawled, tmp_path: Path) -> None:
    browser, seen = tmp_path / "browser.sh", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{seen}"\n')
    browser.chmod(0o755)
    ended = crawled.project.scrapy("page", "books", ORIGIN + FREE, "--open", env={"BROWSER": f"{browser} %s"})
    assert ended.code == 0, ended
    assert "error parse/parse" in ended.err or "error validate/validate" in ended.err
    assert "price" in ended.err
    file = Path(ended.out.strip())
    assert b"free" in file.read_bytes()
    assert seen.read_text().strip() == file.as_uri()


def test_what_is_not_kept_is_one_line_with_what_to_type(crawled: Crawled, tmp_path: Path) -> None:
    for what, said in (
        (ORIGIN + GONE, "scrapy requeue books"),
        (ORIGIN + "nowhere.html", f"scrapy try books PAGE_TYPE {ORIGIN}nowhere.html"),
        ("0000", "a key looks like "),
    ):
        ended = crawled.project.scrapy("page", "books", what)
        assert ended.code == 1, ended
        assert ended.out == ""
        assert len(ended.err.splitlines()) == 1
        assert said in ended.err
    lost = crawled.project.scrapy("page", "books", UPC, env={"CACHE_DIR": str(tmp_path)})
    assert lost.code == 1, lost
    assert len(lost.err.splitlines()) == 1
    assert f"missing; read the page anew with: scrapy try books book {ORIGIN}{BOOK}" in lost.err


def test_without_a_browser_the_file_is_there_all_the_same(crawled: Crawled) -> None:
    nothing = {"BROWSER": "false %s", "PATH": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    ended = crawled.project.scrapy("page", "books", UPC, "--open", env=nothing)
    assert ended.code == 0, ended
    assert Path(ended.out.strip()).is_file()
    assert "no web browser was found; the file is written" in ended.err


def test_the_key_that_is_shown_is_one(crawled: Crawled) -> None:
    said = crawled.project.scrapy("page", "books", "0000").err
    key = said.partition("a key looks like ")[2].partition(",")[0]
    assert crawled.project.scrapy("page", "books", key).code == 0


def test_before_the_first_crawl_it_says_how_to_begin(project: Project) -> None:
    ended = project.scrapy("page", "books", "0000")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith("no record is known yet; type: scrapy crawl books\n")
