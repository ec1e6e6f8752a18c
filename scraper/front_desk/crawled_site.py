"""Finds a site in the database for commands that have nothing to do before its first crawl."""

from scraper.errors import WrongUsage
from scraper.store import crawls
from scraper.store.database import Database
from scraper.store.sites import find_site_id


def crawled_site(database: Database, name: str) -> int:
    """The number of the site's row; raises WrongUsage when it was never crawled into this database."""
    with database.read() as connection:
        site_id = find_site_id(connection, name)
        if site_id is None or crawls.newest(connection, site_id) is None:
            raise WrongUsage(f"{name} was never crawled into this database; type: scrapy crawl {name}")
    return site_id
