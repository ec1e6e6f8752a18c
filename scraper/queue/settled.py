"""How a downloader middleware says that an answered page needs no parsing: no failure, and nothing for the parser."""

from typing import Literal

from scrapy.exceptions import IgnoreRequest


class Settled(IgnoreRequest):
    """The page's answer is entered and that is all: `kept` (nothing changed) or `parked` (parsed in a later run)."""

    def __init__(self, how: Literal["kept", "parked"]) -> None:
        super().__init__(how)
        self.how = how
