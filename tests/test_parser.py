"""A parser is loaded by name, says what it yields, and may yield nothing else."""

from pathlib import Path

import pytest

from scraper.errors import BrokenSite, SelectorMiss
from scraper.models import Link, Page, Refused, page_being_parsed
from scraper.parser import Parser, load_parser, models_of, parsers_of
from scraper.sites import PageType, Site, load_site
from tests.site_folder import site_folder

HEAD = """
from collections.abc import Generator, Iterable, Iterator
from scraper.models import Link, Page, Record, page_being_parsed
from scraper.parse.select import one, read

class Good(Record):
    key = ("sku",)
    sku: str

class Foreign(Record):
    key = ("sku",)
    sku: str
"""


def load(folder: Path, code: str) -> Parser:
    with site_folder(folder, "shop", {"parsers/good.py": HEAD + code}):
        return load_parser("shop", "good", "spiders.shop.parsers.good")


def page() -> Page:
    return Page(url="https://shop.example/", body=b"<p>x")


@pytest.mark.parametrize(
    ("answer", "models"),
    [
        ("Iterator[Good | Link]", ["Good"]),
        ("Iterator[Good]", ["Good"]),
        ("Iterable[Link]", []),
        ("Generator[Good | Foreign, None, None]", ["Good", "Foreign"]),
        ("'list[Good | Link]'", ["Good"]),
    ],
)
def test_the_annotation_says_what_it_yields(tmp_path: Path, answer: str, models: list[str]) -> None:
    parser = load(tmp_path, f"def parse(page: Page) -> {answer}:\n    return iter(())")
    assert [model.__name__ for model in parser.models] == models
    assert len(parser.version) == 16


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", r"spiders/shop/parsers/good\.py: it must define parse\(page\)"),
        ("parse = 1", "it must define parse"),
        ("def parse(page):\n    yield 1", "say what parse yields"),
        ("def parse(page: Page) -> Good:\n    return Good(sku='1')", "say what parse yields"),
        ("def parse(page: Page) -> Iterator[int]:\n    yield 1", "say what parse yields"),
        ("def parse(page: Page) -> 'Iterator[Nosuch]':\n    yield 1", "annotation of parse cannot be read"),
        (
            "class Keyless(Record):\n    a: str\ndef parse(page: Page) -> Iterator[Keyless]:\n    yield 1",
            "name its key",
        ),
        ("import nosuchmodule", r"spiders/shop/parsers/good\.py, line 13: ModuleNotFoundError"),
        ("X = one(css='p:nth-child(')", r"spiders/shop/parsers/good\.py, line 13: ValueError: css 'p:nth-child\('"),
    ],
)
def test_a_broken_parser_says_where(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(BrokenSite, match=said) as error:
        load(tmp_path, code)
    assert "\n" not in str(error.value)


def test_records_refusals_and_links_come_in_order(tmp_path: Path) -> None:
    parser = load(
        tmp_path,
        "def parse(page: Page) -> Iterator[Good | Link]:\n"
        "    yield Good(sku='1')\n"
        "    yield Good(sku='')\n"
        "    yield Link('/next', 'good')\n",
    )
    first, refused, link = parser.run(page())
    assert first.model_dump() == {"sku": "1"}
    assert isinstance(refused, Refused)
    assert (refused.data, refused.reasons) == ({"sku": ""}, (("sku", "blank (given '')"),))
    assert link == Link("/next", "good")


def test_the_page_is_known_inside_and_only_there(tmp_path: Path) -> None:
    parser = load(
        tmp_path,
        "def parse(page: Page) -> Iterator[Good]:\n"
        "    yield Good(sku=page_being_parsed().url)\n"
        "    yield Good(sku='2')\n",
    )
    output = parser.run(page())
    assert next(output).model_dump() == {"sku": "https://shop.example/"}
    assert page_being_parsed() is None
    assert next(output).model_dump() == {"sku": "2"}
    assert list(output) == []
    assert page_being_parsed() is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("yield {'sku': '1'}", "yielded dict; it may yield records and links"),
        ("yield None", "yielded NoneType"),
        ("yield Foreign(sku='1')", r"yielded Foreign; name it: -> Iterator\[Foreign"),
        ("yield Foreign(sku='')", "yielded Foreign; name it"),
    ],
)
def test_a_foreign_value_is_an_error(tmp_path: Path, body: str, said: str) -> None:
    parser = load(tmp_path, f"def parse(page: Page) -> Iterator[Good | Link]:\n    {body}")
    with pytest.raises(TypeError, match=said):
        list(parser.run(page()))


def test_what_the_parser_raises_comes_through(tmp_path: Path) -> None:
    parser = load(
        tmp_path, "def parse(page: Page) -> Iterator[Good]:\n    yield Good(**read(page, {'sku': one(css='b')}))"
    )
    with pytest.raises(SelectorMiss, match="sku: wanted one, found 0"):
        list(parser.run(page()))
    assert page_being_parsed() is None


def test_the_parsers_and_models_of_a_site() -> None:
    site = load_site("books")
    assert list(parsers_of(site)) == ["listing", "book"]
    assert [(kind, model.__name__) for kind, model in models_of(site).items()] == [("book", "Book")]


def test_two_models_of_one_kind_are_an_error(tmp_path: Path) -> None:
    code = HEAD + "def parse(page: Page) -> Iterator[Good]:\n    yield Good(sku='1')"
    with site_folder(tmp_path, "shop", {"parsers/good.py": code, "parsers/again.py": code}):
        pages = {name: PageType(parser=f"spiders.shop.parsers.{name}", refresh="never") for name in ("good", "again")}
        with pytest.raises(BrokenSite, match="spiders/shop: two models are of kind 'good'"):
            models_of(Site(name="shop", origin="https://shop.example/", pages=pages))
