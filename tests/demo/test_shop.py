"""The shop that ships with the project."""

import requests

from demo.server import LoopbackServer
from demo.shop import answer, german, pages, read_products
from scraper.settings import PROJECT_DIR

KEPT = PROJECT_DIR / "tests" / "pages" / "demo_shop"


def test_it_has_what_the_demo_promises() -> None:
    products = read_products()
    assert len({one.sku for one in products}) == len(products) == 48
    assert [one.sku for one in products if not one.description] == ["F-207"]
    assert sum(path == "/" or path.startswith("/page-") for path in pages()) == 4


def test_amounts_are_written_as_in_germany() -> None:
    assert [german(cents) for cents in (590, 129900, 123456789)] == ["5,90 €", "1.299,00 €", "1.234.567,89 €"]


def test_it_is_served() -> None:
    server = LoopbackServer(answer)
    server.start()
    try:
        with requests.Session() as session:
            front = session.get(server.url)
            assert front.headers["Content-Type"] == "text/html; charset=utf-8"
            assert front.text == pages()["/"]
            assert session.get(f"{server.url}cart").status_code == 404
            assert session.head(server.url).text == ""
    finally:
        server.stop()


def test_kept_pages_are_what_the_shop_serves() -> None:
    served = set(pages().values())
    kept = sorted(KEPT.rglob("*.html"))
    assert kept
    assert [file.name for file in kept if file.read_text(encoding="utf-8") not in served] == []
