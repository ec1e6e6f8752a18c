"""What the demo shop yields."""

from scraper.fields import AbsoluteUrl, CleanText, Currency, Money, WholeNumber
from scraper.models import Record


class Product(Record):
    """One thing the shop sells."""

    key = ("sku",)

    sku: CleanText
    """The shop's number of the product."""
    name: CleanText
    """What it is called."""
    category: CleanText
    """The shelf it stands on."""
    price: Money
    """With tax."""
    currency: Currency
    """ISO 4217."""
    stock: WholeNumber
    """Pieces there; 0 is sold out."""
    description: CleanText | None = None
    """A sentence or two."""
    url: AbsoluteUrl
    """Its page."""
