"""The download handler of http and https: asks the site's base where there is one, and hides that from all above."""

from urllib.parse import urldefrag, urljoin

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response, TextResponse

from scraper.origin import Base


class OriginHandler(HTTP11DownloadHandler):
    """A request of the site in, the base's answer out, as if the site had given it.

    The spider says so by its attribute `base` (a `Base`); without it this is Scrapy's own handler.
    """

    async def download_request(self, request: Request) -> Response:
        base: Base | None = getattr(self.crawler.spider, "base", None)
        if base is None or (wire_url := base.to_wire(request.url)) == request.url:
            return await super().download_request(request)
        wire = request.replace(url=wire_url)
        response = await super().download_request(wire)
        request.meta["download_latency"] = wire.meta["download_latency"]  # AutoThrottle reads it there
        headers = response.headers.copy()
        for name in ("Location", "Content-Location", "Refresh"):
            if (value := headers.get(name)) is not None:
                headers[name] = _named_by_site(value, wire_url, base)
        # Scrapy's handler names the address without its fragment; the encoding is to be found out again, not fixed.
        again = {"encoding": None} if isinstance(response, TextResponse) else {}
        return response.replace(url=urldefrag(request.url)[0], headers=headers, **again)


def _named_by_site(value: bytes, wire_url: str, base: Base) -> bytes:
    """The value of a header, its address mapped back if it names the base; a relative one is right on either origin."""
    before, mark, address = _split_refresh(value.decode("latin-1"))  # latin-1 gives every byte back as it was
    if address.startswith("//") or "://" in address:
        address = base.to_site(urljoin(wire_url, address))
    return f"{before}{mark}{address}".encode("latin-1")


def _split_refresh(value: str) -> tuple[str, str, str]:
    """`5; url=ADDRESS` in its parts; a header that is an address alone has nothing before it."""
    at = value.lower().find("url=")
    if at < 0 or not value[:at].strip().rstrip(";, ").replace(".", "").isdigit():
        return "", "", value
    return value[:at], value[at : at + 4], value[at + 4 :].strip("'\" ")
