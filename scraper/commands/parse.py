"""`scrapy parse` is refused: it would go past the queue and the cache."""

from scraper.front_desk.replaced import Replaced


class Command(Replaced):
    """Exit code 2, always."""

    summary = "Shows what a callback gives; here a page type's parser reads a page. Not used in this project."
    example = "scrapy try books book URL"
    instead = "type: scrapy try SITE PAGE_TYPE URL"
