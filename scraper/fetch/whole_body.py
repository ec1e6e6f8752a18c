"""Only a whole body is a page: decodes what was compressed, and sends a cut or damaged answer out again."""

import logging
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import ACCEPTED_ENCODINGS, HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import DownloadCancelledError, NotConfigured, ResponseDataLossError
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scraper.fetch.unpack import GZIP_MAGIC, Fault, begins_like_gzip, unpack, why_partial

logger = logging.getLogger(__name__)

_CODINGS = {"x-gzip", *(coding.decode() for coding in ACCEPTED_ENCODINGS)}
_PARTIAL_RETRIES = 1
"""A page may be meant to end without its end marker: asking once more shows what there is, more often would not."""


class WholeBodyMiddleware(HttpCompressionMiddleware):
    """Stands in place of Scrapy's HttpCompressionMiddleware, which takes a piece of a page for the page.

    An answer in; out comes the answer decoded, or the request again (one of its RETRY_TIMES), or ResponseDataLossError
    with the reason; DownloadCancelledError for one that grows beyond DOWNLOAD_MAXSIZE. What Scrapy's handler itself
    sees cut (Content-Length, chunks) never gets here: the handler raises and RetryMiddleware answers.
    """

    def __init__(self, crawler: Crawler, most: int, retry_times: int | None) -> None:
        super().__init__(crawler=crawler)
        self.crawler = crawler
        self.most = most
        self.retry_times = retry_times  # None: RETRY_ENABLED is off

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("COMPRESSION_ENABLED"):
            raise NotConfigured
        retry_times = settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else None
        return cls(crawler, settings.getint("DOWNLOAD_MAXSIZE"), retry_times)

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Judge one answer; what comes from our cache was judged when it was kept."""
        if "cached" in response.flags or request.method == "HEAD" or response.status in (204, 304):
            return response
        named = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").lower()
        codings = [coding for word in named.split(",") if (coding := word.strip()) not in ("", "identity")]
        whole: Response | Fault = response
        if named and response.body:
            whole = self._decoded(response, codings, request.meta.get("download_maxsize", self.most))
        if isinstance(whole, Response) and whole.body is response.body:  # no coding whose own end proves it whole
            whole = self._ended(whole)
        return self._again(request, whole) if isinstance(whole, Fault) else whole

    def _decoded(self, response: Response, codings: list[str], most: int) -> Response | Fault:
        """The answer without the codings we know, the last applied first."""
        body, left = response.body, list(codings)
        while left and left[-1] in _CODINGS:
            coding = left.pop()
            if coding in ("gzip", "x-gzip") and not begins_like_gzip(body):
                self._remark("not_gzip", f"{response} says {coding} and does not begin like it: kept as it is")
                continue
            plain = unpack(body, coding, most)
            if isinstance(plain, Fault):
                return plain
            body = plain
        headers = response.headers.copy()
        del headers["Content-Encoding"]
        if left:
            headers["Content-Encoding"] = ", ".join(left)
            self._remark("unknown_coding", f"{response} is coded as {', '.join(left)}: kept as it is")
        kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
        text = issubclass(kind, TextResponse)
        if text and body.startswith(GZIP_MAGIC):  # no text begins so: it was compressed twice and told once
            self._count("double_gzip")
            plain = unpack(body, "gzip", most)
            if isinstance(plain, Fault):
                return plain
            body = plain
        encoding = {"encoding": None} if text else {}  # found anew in the decoded body
        return response.replace(cls=kind, body=body, headers=headers, **encoding)

    def _ended(self, response: Response) -> Response | Fault:
        """A page that came with no length and ended with the connection must show its own end."""
        if "partial" in response.flags and isinstance(response, HtmlResponse) and 200 <= response.status < 300:
            return why_partial(response.body) or response
        return response

    def _again(self, request: Request, fault: Fault) -> Request:
        """The request once more; raises when it is used up."""
        self._count(fault.code)
        if fault.code == "too_large":
            raise DownloadCancelledError(fault.reason)
        if self.retry_times is not None and not request.meta.get("dont_retry", False):
            assert self.crawler.spider is not None
            most = request.meta.get("max_retry_times", self.retry_times)
            if fault.code == "partial":
                most = min(most, _PARTIAL_RETRIES)
            again = get_retry_request(
                request, spider=self.crawler.spider, reason=f"body/{fault.code}", max_retry_times=most
            )
            if again is not None:
                return again
        raise ResponseDataLossError(fault.reason)

    def _remark(self, what: str, words: str) -> None:
        """Count it each time, say it once a run: a server that does it does it on every page."""
        if not self.crawler.stats.get_value(f"body/{what}"):
            logger.warning("%s (said once; counted as body/%s)", words, what)
        self._count(what)

    def _count(self, what: str) -> None:
        self.crawler.stats.inc_value(f"body/{what}")
