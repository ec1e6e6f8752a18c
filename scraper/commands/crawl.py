"""`scrapy crawl SITE`: discover, fetch and parse, as one worker of the site's open crawl."""

import argparse

from scraper.front_desk.crawling_doorman import CrawlingDoorman
from scraper.front_desk.doorman import FAILED, FINE
from scraper.monitor.crawl_report import report
from scraper.queue.crawl_site import crawl_site


class Command(CrawlingDoorman):
    """Joins the site's live crawl, resumes one cut short, or begins a new one."""

    summary = (
        "Discover, fetch and parse a site: joins its live crawl, resumes one cut short, or begins a new one. "
        "-a base=URL asks another origin, -a only=discover|fetch does a part, -a limit=N at most N pages."
    )
    example = "scrapy crawl books -a limit=20"

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        site, begun = self.begin(args[0], opts, "crawl", join=True)
        assert self.settings is not None
        with begun.run as run:
            crawl_site(self.settings, site.name, begun, opts.spargs)
        found = report(begun.run.database, site, begun.crawl.id, run.outcome or "failed", run.reason, run.stopped)
        for line in found.lines():
            self.say(line)
        return FAILED if found.failed else FINE
