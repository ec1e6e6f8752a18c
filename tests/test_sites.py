"""A site card says no to what cannot be meant, and a broken folder hides no other."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scraper.errors import BrokenSite, UnknownSite
from scraper.sites import PageType, Promises, Site, load_module, load_site, site_names
from tests.site_folder import CARD, site_folder

PAGES = {"page": PageType(parser="spiders.x.parsers.page", refresh="never")}


def card(**more: Any) -> Site:
    return Site(**{"name": "x", "origin": "https://Shop.example", "pages": PAGES, **more})


def test_what_a_card_need_not_say() -> None:
    site = card()
    assert (site.origin, site.hosts) == ("https://shop.example/", ("shop.example",))
    assert (site.every, site.resume_within) == (timedelta(days=1), timedelta(days=2))
    assert card(resume_within=timedelta(0)).resume_within == timedelta(0)
    assert card(hosts=("Shop.Example", "cdn.example")).hosts == ("shop.example", "cdn.example")


@pytest.mark.parametrize(
    "origin",
    [
        "shop.example",
        "ftp://shop.example/",
        "https://",
        "https://shop.example/de/",
        "https://shop.example/?a=1",
        "https://shop.example/#a",
        "https://me:secret@shop.example/",
    ],
)
def test_an_origin_is_scheme_and_host_alone(origin: str) -> None:
    with pytest.raises(ValueError, match="origin"):
        card(origin=origin)


def test_a_secret_in_an_origin_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="no secrets") as error:
        card(origin="https://me:hunter2@shop.example/")
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("refresh", [None, "daily", 3600, timedelta(0), timedelta(days=-1)])
def test_refresh_has_no_default_and_three_forms(refresh: Any) -> None:
    with pytest.raises(ValueError, match="refresh"):
        PageType(parser="x", refresh=refresh)
    with pytest.raises(TypeError):
        PageType(parser="x")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("more", "said"),
    [({"locale": "xx"}, "locale 'xx' is unknown"), ({"pages": {}}, "at least one page type")],
)
def test_other_wrong_cards(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        card(**more)


@pytest.mark.parametrize("share", [{"most_blocked": 2}, {"most_gone": -0.1}])
def test_a_share_is_between_0_and_1(share: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Promises(**share)  # type: ignore[arg-type]


def test_an_unknown_page_type_names_those_there_are() -> None:
    assert card().page_type("page") is PAGES["page"]
    with pytest.raises(BrokenSite, match=r"spiders/x: no page type 'list' .*it has page"):
        card().page_type("list")


def test_books_is_found() -> None:
    assert "books" in site_names()
    assert load_site("books").name == "books"


def test_an_unknown_site_names_those_there_are() -> None:
    with pytest.raises(UnknownSite, match=r"no site 'nosuch' in spiders/; there are: .*books"):
        load_site("nosuch")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nosuchmodule", r"spiders/broken/__init__\.py, line 1: ModuleNotFoundError"),
        ("\n\n1 / 0", r"spiders/broken/__init__\.py, line 3: ZeroDivisionError"),
        ("x = (", r"spiders/broken/__init__\.py, line 1: SyntaxError"),
        ("import sys\nsys.exit(3)", r"spiders/broken/__init__\.py, line 2: SystemExit: 3"),
        ("", r"spiders/broken/__init__\.py: it must set SITE"),
        ("SITE = 1", "it must set SITE"),
        (CARD.format(name="other"), "SITE.name is 'other'; the folder is 'broken'"),
    ],
)
def test_a_broken_folder_says_where_and_hides_no_other(tmp_path: Path, code: str, said: str) -> None:
    with site_folder(tmp_path, "broken", {"__init__.py": code}):
        assert {"books", "broken"} <= set(site_names())
        with pytest.raises(BrokenSite, match=said) as error:
            load_site("broken")
        assert "\n" not in str(error.value)
        assert load_site("books").name == "books"


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(BrokenSite, match=r"spiders\.books\.parsers\.nosuch cannot be loaded: ModuleNotFoundError"):
        load_module("spiders.books.parsers.nosuch")
