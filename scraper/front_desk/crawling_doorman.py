"""What the commands that crawl share: Scrapy's own options of a crawl, and a log that leaves room for progress."""

from __future__ import annotations

import argparse
import sys
from typing import Any, ClassVar

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.utils.log import install_scrapy_root_handler

from scraper.crawl_arguments import WORDS, Arguments, refuse_twice
from scraper.errors import WrongUsage
from scraper.front_desk.doorman import Doorman
from scraper.parser import parsers_of
from scraper.queue.begin_crawl import Begun, begin_crawl
from scraper.site_loader import SiteLoader
from scraper.sites import Site, load_site
from scraper.store.runs import Stage


class CrawlingDoorman(Doorman, BaseRunSpiderCommand):
    """A command that crawls. At a terminal it logs warnings only, unless told: a bar shows how far it is."""

    default_settings: ClassVar[dict[str, Any]] = {}

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's options of a crawl; what `-a` takes is this project's."""
        super().add_options(parser)
        parser.conflict_handler = "resolve"  # so that `-a`, and it alone, is stated again
        parser.add_argument("-a", dest="spargs", action="append", default=[], metavar="NAME=VALUE", help=WORDS)
        parser.conflict_handler = "error"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            refuse_twice(opts.spargs)
        except WrongUsage as error:
            raise UsageError(str(error), print_help=False) from error
        super().process_options(args, opts)
        assert self.settings is not None
        if sys.stderr.isatty() and not (opts.loglevel or opts.logfile or opts.nolog):
            self.settings.set("LOG_LEVEL", "WARNING", priority="project")  # as settings.py, which sets it, too

    def begin(self, name: str, opts: argparse.Namespace, stage: Stage, *, join: bool) -> tuple[Site, Begun]:
        """The site, and the run that has begun on it. What can be refused is refused before Scrapy's own log begins."""
        assert self.settings is not None
        site = load_site(name)
        parsers_of(site)
        SiteLoader().load(name)
        arguments = Arguments.read(opts.spargs)
        self._begin_log()
        begun = begin_crawl(
            self.database(),
            site,
            stage=stage,
            base=arguments.base,
            join=join,
            beat=self.settings.getfloat("QUEUE_BEAT"),
            lease=self.settings.getfloat("QUEUE_LEASE"),
        )
        self.say(f"{site.name}: {begun.line()}")
        if begun.base and not arguments.base:
            opts.spargs["base"] = begun.base
            self.say(f"{site.name}: {begun.base} is asked, as this database remembers")
        return site, begun

    def _begin_log(self) -> None:
        """Scrapy's process does it again; what is told of dead runs comes before."""
        assert self.settings is not None
        try:
            install_scrapy_root_handler(self.settings)
        except (ValueError, OSError) as error:
            raise WrongUsage(f"the log cannot be written: {error}; look at LOG_LEVEL and LOG_FILE") from error
