"""The pages of the demo shop: 48 goods of a German coffee shop, made from `products.csv` and two templates."""

import csv
import math
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

from demo.server import Answer

A_PAGE = 12
"""Goods on one listing page, so that four pages are walked."""


@dataclass(frozen=True)
class Product:
    """One row of `products.csv`."""

    sku: str
    """The shop's number of the product."""
    name: str
    """What it is called."""
    category: str
    """The shelf it stands on."""
    cents: int
    """The price in euro cents."""
    stock: int
    """Pieces there; 0 is sold out."""
    description: str
    """A sentence or two; empty for one of them, as in every real shop."""


def answer(path: str) -> Answer:
    """What the shop says to a request."""
    page = pages().get(path)
    if page is None:
        return Answer(b"<h1>404</h1>", 404, {"Content-Type": "text/html; charset=utf-8"})
    kind = "text/plain" if path.endswith(".txt") else "text/html"
    return Answer(page.encode(), headers={"Content-Type": f"{kind}; charset=utf-8"})


def pages() -> dict[str, str]:
    """All pages of the shop by path."""
    products = read_products()
    last = math.ceil(len(products) / A_PAGE)
    found = {"/robots.txt": "User-agent: *\nDisallow: /cart\n"}
    for number in range(1, last + 1):
        shown = products[(number - 1) * A_PAGE : number * A_PAGE]
        found[listing_path(number)] = listing(shown, number, last)
    return found | {product_path(one): product(one) for one in products}


def read_products() -> list[Product]:
    """The rows of `products.csv`, in the shop's order."""
    with (files("demo.shop") / "products.csv").open(encoding="utf-8") as stream:
        return [
            Product(**{**row, "cents": int(row["cents"]), "stock": int(row["stock"])})  # type: ignore[arg-type]
            for row in csv.DictReader(stream)
        ]


def listing_path(number: int) -> str:
    """Where the listing page of that number stands; the first one is the shop's front page."""
    return "/" if number == 1 else f"/page-{number}.html"


def product_path(one: Product) -> str:
    """Where a product's page stands."""
    return f"/goods/{one.sku.lower()}.html"


def listing(shown: list[Product], number: int, last: int) -> str:
    """A listing page, with a link to the next one unless it is the last."""
    tiles = "\n".join(
        f'      <li><a href="{product_path(one)}">{escape(one.name)}</a> <span>{german(one.cents)}</span></li>'
        for one in shown
    )
    further = f'<a rel="next" href="{listing_path(number + 1)}">Weiter</a>' if number < last else ""
    return _template("listing").substitute(number=number, last=last, tiles=tiles, further=further)


def product(one: Product) -> str:
    """A product's page."""
    return _template("product").substitute(
        sku=one.sku,
        name=escape(one.name),
        category=escape(one.category),
        price=german(one.cents),
        stock=f"Auf Lager ({one.stock} Stück)" if one.stock else "Ausverkauft",
        description=f'<p class="description">{escape(one.description)}</p>' if one.description else "",
    )


def german(cents: int) -> str:
    """An amount as a German shop writes it: 1.299,00 €."""
    swapped = f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,"))
    return f"{swapped} €"


def _template(name: str) -> Template:
    return Template((files("demo.shop") / f"{name}.html").read_text(encoding="utf-8"))
