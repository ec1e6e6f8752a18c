"""`scrapy runspider` is refused: it would go past the queue and the cache."""

from scraper.front_desk.replaced import Replaced


class Command(Replaced):
    """Exit code 2, always."""

    summary = "Runs a spider from a file; here a site is a folder. Not used in this project."
    example = "scrapy crawl books"
    instead = "type: scrapy crawl SITE"
