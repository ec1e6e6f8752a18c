"""`scrapy migrate`: the database, brought to this code's schema."""

import argparse
from typing import ClassVar

from scraper.front_desk.doorman import FINE, Doorman
from scraper.store.migration import bring_up_to_date


class Command(Doorman):
    """An older database is refused by every other command, so that no crawl at night changes it."""

    arguments: ClassVar[tuple[str, ...]] = ()
    summary = "Brings an older database to this version; says so when it is current. Make a backup before."
    example = "scrapy migrate"

    def serve(self, _args: list[str], _opts: argparse.Namespace) -> int:
        assert self.settings is not None
        self.say(bring_up_to_date(self.settings["DATABASE_URL"]).line())
        return FINE
