"""`scrapy try SITE PAGE_TYPE WHAT`: what today's parser makes of one page."""

# ruff: noqa: N999 - the file is named for the word that is typed

import argparse
import json
import sys
from typing import ClassVar

from rich.console import Console
from scrapy.utils.conf import arglist_to_dict

from scraper.crawl_arguments import refuse_twice
from scraper.errors import WrongUsage
from scraper.front_desk.doorman import FAILED, FINE, Doorman
from scraper.front_desk.page_source import page_of_file, page_of_site
from scraper.origin import parse_base
from scraper.parse.tried_table import show
from scraper.parse.try_page import try_page
from scraper.parser import load_parser
from scraper.sites import load_site


class Command(Doorman):
    """Exit code 1 when a crawl would end the page as error."""

    arguments: ClassVar[tuple[str, ...]] = ("SITE", "PAGE_TYPE", "URL|FILE|KEY")
    summary = (
        "Shows what today's parser makes of one page: a file, a kept page by its address or a record's key, "
        "else the answer to one request. Writes nothing."
    )
    example = "scrapy try books book a897fe39b1053632"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Where the page is, and how it is shown."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="everything, as JSON")
        parser.add_argument("--url", metavar="URL", help="of a file: the address it stood at")
        parser.add_argument(
            "-a", dest="spargs", action="append", default=[], metavar="base=URL", help="ask another origin"
        )

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        site, page_type, what = load_site(args[0]), args[1], args[2]
        if page_type not in site.pages:
            raise WrongUsage(f"{site.name} has no page type {page_type!r}; there are: {', '.join(site.pages)}")
        base = _base(opts.spargs)
        parser = load_parser(site.name, page_type, site.pages[page_type].parser)
        source = page_of_file(site, what, opts.url, _tell)
        source = source or page_of_site(self.settings, site, what, base, _tell)
        tried = try_page(site, source.base, parser, source.page)
        if opts.json:
            self.say(json.dumps(tried.as_json(), indent=2, ensure_ascii=False))
        else:
            show(Console(), tried)
        return FAILED if tried.failed else FINE


def _base(words: list[str]) -> str | None:
    refuse_twice(words)
    try:
        given = arglist_to_dict(words)
    except ValueError as error:
        raise WrongUsage(f"-a {words[0]}: use -a base=URL") from error
    if unknown := sorted(given.keys() - {"base"}):
        raise WrongUsage(f"-a {unknown[0]}=…: unknown here; there is: base=")
    return parse_base(given["base"]) if given else None


def _tell(line: str) -> None:
    sys.stderr.write(f"scrapy try: {line}\n")
