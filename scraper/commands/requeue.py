"""`scrapy requeue SITE`: pages in error, back into the queue."""

import argparse

from scraper.errors import WrongUsage
from scraper.front_desk.crawled_site import crawled_site
from scraper.front_desk.doorman import FINE, Doorman
from scraper.sites import load_site
from scraper.store.requeue import REASONS, requeue


class Command(Doorman):
    """Typed twice it finds nothing to do the second time."""

    summary = "Puts pages that ended in error back into the queue of the site's newest crawl, which is open again then."
    example = "scrapy requeue books --reason network"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Which pages."""
        super().add_options(parser)
        parser.add_argument("--errors", action="store_true", help="all pages in error (so without an option, too)")
        parser.add_argument("--reason", metavar="R", help=f"those of one reason only: {', '.join(REASONS)}")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        if opts.reason is not None and opts.reason not in REASONS:
            raise WrongUsage(f"--reason {opts.reason}: unknown; there are: {', '.join(REASONS)}")
        site, database = load_site(args[0]), self.database()
        site_id = crawled_site(database, site.name)
        assert site.resume_within is not None
        within = site.resume_within
        done = database.transact(lambda connection: requeue(database, connection, site_id, opts.reason, within))
        for line in done.lines(site.name):
            self.say(line)
        return FINE
