"""`scrapy export SITE`: the records of a site as finished files."""

import argparse
from pathlib import Path
from typing import ClassVar

from scraper.enrich.enrichers import enrichers_of
from scraper.export.export_report import lines_of
from scraper.export.formats import load_formats
from scraper.export.runner import export_site
from scraper.front_desk.crawled_site import crawled_site
from scraper.front_desk.doorman import FINE, HELD, Doorman
from scraper.monitor.stage_bar import StageBar
from scraper.queue.live_run import LiveRun
from scraper.score.scorecards import scorecards_of
from scraper.sites import load_site


class Command(Doorman):
    """Exit code 4 when the publish gate held a file back; it is in `quarantine/` then."""

    arguments: ClassVar[tuple[str, ...]] = ("SITE",)
    summary = "Writes the records of a site as finished files, each with its manifest."
    example = "scrapy export books --format csv,xlsx"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Which files, and where to."""
        super().add_options(parser)
        parser.add_argument("--format", default="csv", metavar="NAMES", help="csv, xlsx, jsonl ... (default: csv)")
        parser.add_argument("--output", metavar="DIR", help="folder for the files (default: EXPORT_DIR)")
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="X",
            help="of a format, like csv.guard=yes; may be repeated",
        )
        parser.add_argument("--force", action="store_true", help="publish what the gate would hold back; recorded")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        site, formats = load_site(args[0]), load_formats(opts.format, opts.option)
        enrichers, scorecards, database = enrichers_of(site), scorecards_of(site), self.database()
        assert self.settings is not None
        output = Path(opts.output or self.settings["EXPORT_DIR"])
        crawled_site(database, site.name)
        with LiveRun.begin(database, site.name, stage="export") as run, StageBar() as bar:
            files = export_site(
                database,
                site,
                run.id,
                formats,
                output,
                enrichers=enrichers,
                scorecards=scorecards,
                force=opts.force,
                tell=bar,
            )
            run.end("finished", figures={file.path.name: file.records for file in files})
        for line in lines_of(site.name, files):
            self.say(line)
        return HELD if any(file.held for file in files) else FINE
