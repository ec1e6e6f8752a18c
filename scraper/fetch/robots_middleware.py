"""Scrapy's obedience to robots.txt, which a page that is answered from what is kept has no need of."""

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

from scraper.queue.in_flight import InFlight
from scraper.queue.request_text import PAGE


class RobotsMiddleware(RobotsTxtMiddleware):
    """Asks for robots.txt only where something will be asked: kept pages are parsed with the site out of reach."""

    async def process_request(self, request: Request) -> None:  # type: ignore[override]  # `spider` is deprecated
        page = request.meta.get(PAGE)
        if not (isinstance(page, InFlight) and page.serve_kept):
            await super().process_request(request)
