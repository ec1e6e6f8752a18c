"""`scrapy run SITE`: crawl, enrich, score and export, in order, for cron."""

import argparse
import signal
from pathlib import Path

from scraper.enrich.enrichers import enrichers_of
from scraper.export.formats import load_formats
from scraper.export.whole_file import writable
from scraper.front_desk.crawling_doorman import CrawlingDoorman
from scraper.front_desk.doorman import FAILED, FINE, HELD, stop
from scraper.front_desk.run_site import finish_site
from scraper.monitor.crawl_report import report
from scraper.queue.crawl_site import crawl_site
from scraper.score.scorecards import scorecards_of
from scraper.sites import load_site


class Command(CrawlingDoorman):
    """Refuses (exit 3) while a live run holds the site. A run killed after its crawl goes on with the stages left."""

    summary = "Crawls, enriches, scores and exports a site: all that a night needs. Refuses while the site is running."
    example = "scrapy run books --format csv,xlsx,jsonl"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Which files, and where to."""
        super().add_options(parser)
        parser.add_argument("--format", default="csv,xlsx,jsonl", metavar="NAMES", help="default: csv,xlsx,jsonl")
        parser.add_argument("--output", dest="folder", metavar="DIR", help="folder for the files (default: EXPORT_DIR)")
        parser.add_argument("--force", action="store_true", help="publish what the gate would hold back; recorded")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        formats, output = load_formats(opts.format), Path(opts.folder or self.settings["EXPORT_DIR"])
        site = load_site(args[0])
        enrichers_of(site), scorecards_of(site)  # a fault there is found now, not after hours of crawling
        writable(output)
        site, begun = self.begin(args[0], opts, "run", join=False)
        with begun.run as run:
            failed = False
            if not begun.crawled:
                crawl_site(self.settings, site.name, begun, opts.spargs)
                signal.signal(signal.SIGTERM, stop)  # Scrapy's own handlers ended with the crawl
                signal.signal(signal.SIGINT, signal.default_int_handler)
                found = report(
                    begun.run.database, site, begun.crawl.id, run.outcome or "failed", run.reason, run.stopped
                )
                for line in found.lines():
                    self.say(line)
                if run.stopped and run.outcome != "waiting":
                    return FAILED
                failed = found.failed
                run.outcome = None
            done = finish_site(site, run, formats, output, opts.force, self.say)
            failed = failed or not done.ok
            run.end("failed" if failed else "finished", "held back" if done.held else None)
        if failed:
            return FAILED
        return HELD if done.held else FINE
