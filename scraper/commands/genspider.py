"""`scrapy genspider` is refused: it would go past the queue and the cache."""

from scraper.front_desk.replaced import Replaced


class Command(Replaced):
    """Exit code 2, always."""

    summary = "Makes a spider's file; here a site is a folder. Not used in this project."
    example = "scrapy try books book URL"
    instead = "docs/sites.md shows how a site is added"
