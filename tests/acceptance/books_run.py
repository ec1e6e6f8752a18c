"""One `run books` as an operator types it, with what the shop's server saw of it."""

from collections import Counter
from dataclasses import dataclass

from tests.command_line import Completed
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer


@dataclass(frozen=True)
class BooksRun:
    """A run that has ended."""

    project: CopiedProject
    """Where it ran."""
    ended: Completed
    """How it ended."""
    requests: Counter[str]
    """The paths it asked the server for."""


def run_books(project: CopiedProject, site: SiteServer) -> BooksRun:
    """Run the whole of it, from the seed to finished files."""
    site.forget()
    ended = project.scrapy("run", "books", "-a", f"base={site.url}", "-s", "DOWNLOAD_DELAY=0")
    return BooksRun(project, ended, Counter(site.requests))
