"""`scrapy reparse SITE`: kept pages read again by today's parsers, with no request sent."""

import argparse
from pathlib import Path

from scraper.front_desk.crawled_site import crawled_site
from scraper.front_desk.doorman import FAILED, FINE, Doorman
from scraper.monitor.stage_bar import StageBar
from scraper.parse.difference import differences
from scraper.parse.reparse import reparse_site, wanted_pages
from scraper.queue.live_run import LiveRun
from scraper.sites import load_site
from scraper.store.body_store import BodyStore


class Command(Doorman):
    """Exit code 1 when a page is in error afterwards."""

    summary = "Reads kept pages again by today's parsers, with no request; by default those whose parser has changed."
    example = "scrapy reparse books --errors"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Which pages."""
        super().add_options(parser)
        parser.add_argument("--page", metavar="TYPE", help="pages of this type only")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--errors", action="store_true", help="pages whose last parse failed")
        which.add_argument("--all", action="store_true", help="every kept page")
        parser.add_argument("--diff", action="store_true", help="show what would change and write nothing")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        site, database = load_site(args[0]), self.database()
        assert self.settings is not None
        bodies = BodyStore(Path(self.settings["CACHE_DIR"]))
        site_id = crawled_site(database, site.name)
        parsers, wanted = wanted_pages(site, site_id, opts.page, opts.errors, opts.all)
        if opts.diff:
            count = 0
            for line in differences(database, site, bodies, parsers, wanted):
                count += 1
                self.say(line)
            self.say(f"{site.name}: {count:,} differences; nothing was written")
            return FINE
        with LiveRun.begin(database, site.name, stage="reparse") as run, StageBar() as bar:
            done = reparse_site(database, site, site_id, run.id, bodies, parsers, wanted, bar)
            run.end("finished", None, {"pages": done.pages, "records": done.records, "refused": done.refused})
        for line in done.lines(site.name):
            self.say(line)
        return FAILED if done.refused or done.damaged else FINE
