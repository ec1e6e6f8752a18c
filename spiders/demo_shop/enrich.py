"""Facts added to a product: how much is in a pack, and what a kilogram costs."""

import re
from decimal import ROUND_HALF_UP, Decimal

from scraper.enrich.enricher import Enricher, Facts
from scraper.enrich.lookup import Lookup
from spiders.demo_shop.models import Product

CENT = Decimal("0.01")
GRAMS = {"g": 1, "kg": 1000}


class Pack(Facts):
    """What the name of a product says of its pack; empty for what is not sold by weight."""

    grams: int | None
    """The weight of the content."""
    price_per_kg: Decimal | None
    """Rounded half up to a cent."""


def pack(product: Product, _: Lookup) -> Pack:
    """Only coffee is sold by weight; the 250 g of a storage jar are what fits in."""
    found = re.search(r", (\d+) (g|kg)$", product.name)
    if found is None:
        return Pack(grams=None, price_per_kg=None)
    grams = int(found[1]) * GRAMS[found[2]]
    return Pack(grams=grams, price_per_kg=(product.price * 1000 / grams).quantize(CENT, ROUND_HALF_UP))


ENRICHERS = (Enricher(name="pack", kind=Product.kind, output=Pack, enrich=pack),)
