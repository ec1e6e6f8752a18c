"""`scrapy enrich SITE`: facts added to records by the site's enrichers."""

import argparse
from typing import ClassVar

from scraper.enrich.stage import enrich_site
from scraper.front_desk.doorman import FAILED, FINE, Doorman
from scraper.monitor.stage_bar import StageBar
from scraper.queue.live_run import LiveRun
from scraper.sites import load_site


class Command(Doorman):
    """Exit code 1 when a record could not be enriched; the others are."""

    arguments: ClassVar[tuple[str, ...]] = ("SITE",)
    summary = "Adds facts to records by the site's enrichers, where they lack or their neighbours have changed."
    example = "scrapy enrich books"

    def serve(self, args: list[str], _opts: argparse.Namespace) -> int:
        site, database = load_site(args[0]), self.database()
        with LiveRun.begin(database, site.name, stage="enrich") as run, StageBar() as bar:
            report = enrich_site(database, site, run.site_id, bar)
            run.end("finished" if report.ok else "failed", report.trouble, figures=report.figures)
        for line in report.lines():
            self.say(line)
        return FINE if report.ok else FAILED
