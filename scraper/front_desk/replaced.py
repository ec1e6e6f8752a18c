"""Scrapy's own commands that would go past the queue: refused with the one to type instead."""

import argparse
from typing import ClassVar

from scraper.errors import WrongUsage
from scraper.front_desk.doorman import Doorman


class Replaced(Doorman):
    """A command that is not for this project; a subclass states `instead`."""

    arguments: ClassVar[tuple[str, ...]] = ("[WORD]", "[WORD]")
    instead: ClassVar[str] = ""
    """What to type, or to read, instead."""

    def _check(self, args: list[str]) -> None:
        """Whatever the words are, the answer is the same."""

    def serve(self, _args: list[str], _opts: argparse.Namespace) -> int:
        raise WrongUsage(f"not for a site folder: {self.instead}")
