"""`scrapy score SITE`: a number with its reasons for each record, by the site's scorecards."""

import argparse
from typing import ClassVar

from scraper.front_desk.doorman import FAILED, FINE, Doorman
from scraper.monitor.stage_bar import StageBar
from scraper.queue.live_run import LiveRun
from scraper.score.stage import score_site
from scraper.sites import load_site


class Command(Doorman):
    """Exit code 1 when a record could not be scored; the others are."""

    arguments: ClassVar[tuple[str, ...]] = ("SITE",)
    summary = "Scores records by the site's scorecards, where scores lack or rules or enrichments have changed."
    example = "scrapy score books"

    def serve(self, args: list[str], _opts: argparse.Namespace) -> int:
        site, database = load_site(args[0]), self.database()
        with LiveRun.begin(database, site.name, stage="score") as run, StageBar() as bar:
            report = score_site(database, site, run.site_id, bar)
            run.end("finished" if report.ok else "failed", report.trouble, figures=report.figures)
        for line in report.lines():
            self.say(line)
        return FINE if report.ok else FAILED
