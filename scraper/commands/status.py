"""`scrapy status [SITE]`: how far the sites' crawls are, and what there is to know of them."""

import argparse
import json
from typing import ClassVar

from rich.console import Console

from scraper.front_desk.doorman import FINE, Doorman
from scraper.monitor.look import look
from scraper.monitor.status_lines import show


class Command(Doorman):
    """It only reads; whether somebody must be woken is another question."""

    arguments: ClassVar[tuple[str, ...]] = ("[SITE]",)
    summary = "Shows what each site's newest crawl has done and has left, who works on it, and what came of it."
    example = "scrapy status books --json"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """How it is shown."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="as JSON, for programs (docs/status.md)")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        status = look(self.database(), args[0] if args else None)
        if opts.json:
            self.say(json.dumps(status.as_json(), indent=2, ensure_ascii=False))
        else:
            show(Console(), status, details=bool(args))
        return FINE
