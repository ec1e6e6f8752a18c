"""The demo shop's site folder, on every page the shop serves."""

from decimal import Decimal

import pytest

from demo.shop import pages, product_path, read_products
from scraper.enrich.lookup import Lookup
from scraper.models import Page
from scraper.parser import load_parser
from spiders.demo_shop import SITE
from spiders.demo_shop.enrich import pack
from spiders.demo_shop.models import Product
from spiders.demo_shop.score import restock

NOTHING_KNOWN = Lookup("pack", {}, {})


def parsed(path: str, page_type: str) -> list:
    page = Page(SITE.origin.rstrip("/") + path, pages()[path].encode(), locale=SITE.locale)
    return list(load_parser(SITE.name, page_type, SITE.pages[page_type].parser).run(page))


def a_product(**fields: object) -> Product:
    known = {"sku": "X-1", "name": "Bohnen", "category": "Bohnen", "price": Decimal("9.90"), "currency": "EUR"}
    return Product(**{**known, "stock": 3, "url": "https://shop.example/goods/x-1.html", **fields})


def test_every_product_is_read_exactly() -> None:
    for row in read_products():
        (found,) = parsed(product_path(row), "product")
        assert (found.sku, found.name, found.category) == (row.sku, row.name, row.category)
        assert (found.price, found.currency, found.stock) == (Decimal(row.cents) / 100, "EUR", row.stock)
        assert found.description == (row.description or None)


def test_the_listing_leads_to_every_product() -> None:
    links = [link for path in ("/", "/page-2.html", "/page-3.html", "/page-4.html") for link in parsed(path, "listing")]
    assert [link.url for link in links if link.page_type == "product"] == [product_path(one) for one in read_products()]
    assert [link.url for link in links if link.page_type == "listing"] == [f"/page-{n}.html" for n in (2, 3, 4)]


@pytest.mark.parametrize(
    ("name", "grams", "per_kg"),
    [
        ("Guji, 250 g", 250, "39.60"),
        ("Guji, 1 kg", 1000, "9.90"),
        ("Geisha, 70 g", 70, "141.43"),
        ("Bohnenbehälter 250 g", None, None),
    ],
)
def test_a_pack_is_read_from_the_name(name: str, grams: int | None, per_kg: str | None) -> None:
    facts = pack(a_product(name=name), NOTHING_KNOWN)
    assert (facts.grams, facts.price_per_kg) == (grams, per_kg and Decimal(per_kg))


@pytest.mark.parametrize(("stock", "value"), [(0, 100), (1, 95), (19, 5), (20, 0), (150, 0)])
def test_the_fewer_the_sooner(stock: int, value: int) -> None:
    score = restock(a_product(stock=stock), {})
    assert score.value == value
    assert score.reasons == (
        {0: "sold out", 20: "20 in stock: enough", 150: "150 in stock: enough"}.get(
            stock, f"{stock} in stock, 20 are enough"
        ),
    )
