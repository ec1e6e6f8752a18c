"""How soon a product must be ordered again, from 0 to 100, with the reason."""

from scraper.score.scorecard import FactsByName, Score, Scorecard
from spiders.demo_shop.models import Product

ENOUGH = 20


def restock(product: Product, _: FactsByName) -> Score:
    """100 when it is sold out, five points less for each piece there."""
    if product.stock == 0:
        return Score(100.0, ("sold out",))
    if product.stock >= ENOUGH:
        return Score(0.0, (f"{product.stock} in stock: enough",))
    return Score(100.0 - 5 * product.stock, (f"{product.stock} in stock, {ENOUGH} are enough",))


SCORECARDS = (Scorecard(name="restock", kind=Product.kind, score=restock),)
