"""Trying a page: fields in the model's order, layers, refusals, links sorted, and lines that fit."""

import io
from collections.abc import Iterator

from rich.console import Console

from scraper.models import Link, Page, Record
from scraper.parse.select import each, maybe, one, read, read_record
from scraper.parse.tried_table import show
from scraper.parse.try_page import Tried, try_page
from scraper.parser import Parser
from scraper.sites import PageType, Site

SITE = Site(
    name="shop",
    origin="https://shop.example/",
    pages={"item": PageType(parser="x", refresh="never"), "list": PageType(parser="y", refresh="never")},
)
CARD = "<div><b>{name}</b><i>{price}</i></div>"


class Item(Record):
    key = ("name", "number")

    name: str
    number: int
    price: str | None


def parse(page: Page) -> Iterator[Item | Link]:
    for number, card in enumerate(each(page, css="div", least=0)):
        selectors = {"name": one(css="b::text"), "price": maybe(css="i::text", xpath=".//u/text()")}
        yield read_record(Item, card, selectors, number=number)
    for address in page.tree.css("a::attr(href)").getall():
        yield Link(address, "item" if "item" in address else "list" if "list" in address else "none")
    if "broken" in page.html:
        read(page, {"title": one(css="h1::text")})
    if "raise" in page.html:
        raise RuntimeError("two\nlines")


def tried(body: str) -> Tried:
    page = Page(url="https://shop.example/shelf/", body=body.encode())
    return try_page(SITE, None, Parser("shop", "item", "x", parse, (Item,), True, "v"), page)


def shown(one: Tried, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    show(console, one)
    return console.file.getvalue().splitlines()


def test_records_fields_and_layers() -> None:
    body = CARD.format(name="A", price="1 £ " + "long " * 50) + "<div><b>B</b><u>2 £</u></div><div><b>C</b></div>"
    found = tried(body)
    assert not found.failed
    assert [(kind, key) for kind, key, _ in found.records] == [
        ("item", ("A", 0)),
        ("item", ("B", 1)),
        ("item", ("C", 2)),
    ]
    assert list(found.records[0][2]) == ["name", "number", "price"]
    assert found.layers == {"name": {"css": 3}, "price": {"css": 1, "xpath": 1}}
    lines = shown(found, 40)
    assert lines[0] == "item A,0"
    assert lines[1] == "  name    css  A"
    assert lines[2] == "  number  -    0"
    assert lines[3].startswith("  price   css  1 £ long")
    assert max(map(len, lines[:-1])) == 40
    assert lines[7] == "  price   xpath  2 £"
    assert lines[11] == "  price   -    (none)"


def test_more_records_than_a_screen_holds_are_counted() -> None:
    lines = shown(tried(CARD.format(name="A", price="1") * 7))
    assert len([line for line in lines if line.startswith("item ")]) == 5
    assert "and 2 more records (all of them: --json)" in lines


def test_a_refused_record_costs_itself_alone() -> None:
    found = tried(CARD.format(name="A", price="1") + "<div><i>2</i></div>")
    assert found.failed
    assert len(found.records) == 1
    assert [(one.field, one.kind) for one in found.refused] == [("name", "item")]
    assert any(line.startswith("refused: name: wanted one, found 0") for line in shown(found))


def test_a_parser_that_reads_all_before_it_yields_shows_what_matched_on_the_page() -> None:
    def eager(page: Page) -> list[Item]:
        return list(parse(page))

    page = Page(url="https://shop.example/", body=(CARD.format(name="A", price="1") * 2).encode())
    found = try_page(SITE, None, Parser("shop", "item", "x", eager, (Item,), False, "v"), page)
    assert [line for line in shown(found) if line.startswith("  name")] == ["  name    css  A"] * 2


def test_a_long_key_is_cut_to_the_width() -> None:
    assert len(shown(tried(CARD.format(name="A" * 100, price="1")), 40)[0]) == 40


def test_a_miss_and_an_exception_end_the_page() -> None:
    missed = tried(CARD.format(name="A", price="1") + "broken")
    assert missed.failed
    assert missed.records == ()
    assert [one.field for one in missed.refused] == ["title"]
    lines = shown(missed)
    assert "matched before the error" in lines
    assert any(line.startswith("error: title: wanted one, found 0") for line in lines)
    assert not any(line.startswith("refused:") for line in lines)
    assert lines[-1].startswith("records: 0, refused: 0; the page is in error")
    raised = tried("raise")
    assert raised.error == "RuntimeError: two lines"
    assert "error: RuntimeError: two lines" in shown(raised)


def test_links_are_sorted_as_a_crawl_would_follow_them() -> None:
    hrefs = [f"item{n}" for n in range(12)] + ["/list", "https://other.example/item", "mailto:item@shop.example"]
    found = tried("".join(f'<a href="{href}">' for href in hrefs))
    assert not found.failed
    items = found.links["item"]
    assert (items.count, items.not_followed) == (12, {"offsite": 1, "scheme": 1})
    assert items.first == [f"https://shop.example/shelf/item{n}" for n in range(10)]
    assert found.links["list"].first == ["https://shop.example/list"]
    lines = shown(found)
    assert "links to item: 12, 1 not followed (offsite), 1 not followed (scheme)" in lines
    assert "  and 2 more" in lines


def test_a_link_to_a_page_type_that_is_none_is_the_parsers_fault() -> None:
    found = tried('<a href="x">')
    assert found.failed
    assert "no page type 'none'" in found.error
