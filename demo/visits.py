"""Counts the pages of the shop that are really asked for, so that the demo can say which were not."""

from demo.server import Answer
from demo.shop import answer


class Visits:
    """What the demo's server is given to answer with; `asked` are the pages, without robots.txt."""

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, path: str) -> Answer:
        """The shop's answer, counted."""
        self.asked += path != "/robots.txt"
        return answer(path)
