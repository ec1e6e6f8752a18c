"""How a downloader component says that a page needs no parsing now: no failure, and nothing for the parser."""

from typing import Literal

from scrapy.exceptions import IgnoreRequest

How = Literal["kept", "parked", "released"]


class Settled(IgnoreRequest):
    """The page is done for this run: its answer is entered and did not change (`kept`) or is parsed in a later run
    (`parked`); or it was not asked for, because the run is being stopped (`released`)."""

    def __init__(self, how: How) -> None:
        super().__init__(how)
        self.how = how
