"""`scrapy page SITE WHAT`: a kept page as a plain file."""

import argparse
import sys
import webbrowser
from pathlib import Path
from typing import ClassVar

from scraper.errors import BodyDamaged, NotKept
from scraper.front_desk.doorman import FINE, Doorman
from scraper.front_desk.no_such_page import no_such_key
from scraper.parse.kept_page import kept_page
from scraper.parse.page_file import write_page_file
from scraper.queue.find_page import FoundPage, find_page, is_address, why_not_kept
from scraper.sites import load_site
from scraper.store.body_store import BodyStore
from scraper.store.clock import iso
from scraper.store.sites import base_of, find_site_id


class Command(Doorman):
    """The path alone is on standard output: `less $(scrapy page books URL)`."""

    arguments: ClassVar[tuple[str, ...]] = ("SITE", "URL|KEY")
    summary = "Writes the kept page of an address, or of a record's key (fields joined by commas), and gives its path."
    example = "scrapy page books a897fe39b1053632 --open"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """What to do with it."""
        super().add_options(parser)
        parser.add_argument("--open", action="store_true", help="open it in a web browser")

    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        site, what, folder = load_site(args[0]), args[1], Path(self.settings["CACHE_DIR"])
        with self.database().read() as connection:
            site_id = find_site_id(connection, site.name)
            found = site_id and find_page(connection, site, site_id, base_of(connection, site_id), what)
            if not found and not is_address(what):
                raise no_such_key(connection, site, site_id, what)
        if not found or found.fetch is None:
            raise NotKept(why_not_kept(site, what, found or None))
        try:
            page = kept_page(site, BodyStore(folder), found.fetch, found.url, found.context)
        except BodyDamaged as error:
            again = f"scrapy try {site.name} {found.page_type} {found.url}"
            raise NotKept(f"{error}; read the page anew with: {again}") from error
        file = write_page_file(folder, site.name, page, found.fetch.body_hash)
        self.say(str(file))
        self._tell(found)
        if opts.open and not webbrowser.open(file.as_uri()):
            sys.stderr.write("scrapy page: no web browser was found; the file is written, open it yourself\n")
        return FINE

    @staticmethod
    def _tell(found: FoundPage) -> None:
        assert found.fetch is not None
        final = found.fetch.final_url
        sys.stderr.write(
            f"url      {found.url}\n" + (f"came from {final}\n" if final else "") + f"type     {found.page_type}\n"
            f"fetched  {iso(found.fetch.at)}, HTTP {found.fetch.http_status}\n"
            f"standing {found.standing}\n"
        )
