"""What an exception means for a page: stage, code, and whether it is tried again."""

import pytest
from scrapy import Request
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from scraper.errors import ClaimLost, SelectorMiss
from scraper.queue.ending import Patience, page_end
from scraper.queue.failure import Failure, failed_fetch, failed_parse
from scraper.queue.in_flight import InFlight
from scraper.store.page_end import NewDrop
from tests.queue.rows import claimed


def http(status: int) -> HttpError:
    return HttpError(Response("https://a.test/", status=status, request=Request("https://a.test/")))


@pytest.mark.parametrize(
    ("error", "stage", "code", "again"),
    [
        (http(404), "fetch", "gone", False),
        (http(410), "fetch", "gone", False),
        (http(403), "fetch", "network", True),
        (http(503), "fetch", "network", True),
        (DownloadConnectionRefusedError("refused"), "fetch", "network", True),
        (ResponseDataLossError("cut"), "fetch", "network", True),
        (DownloadCancelledError("too large"), "fetch", "network", False),
        (IgnoreRequest("Forbidden by robots.txt"), "scope", "robots", False),
        (IgnoreRequest("Filtered offsite request to 'b.test': <GET http://b.test/>"), "scope", "scope", False),
        (IgnoreRequest("max redirections reached"), "fetch", "network", False),
        (ClaimLost("held no more"), "run", "lost", False),
    ],
)
def test_failed_fetches(error: Exception, stage: str, code: str, again: bool) -> None:
    failure = failed_fetch(error)
    assert (failure.stage, failure.code, failure.again) == (stage, code, again)
    assert "\n" not in failure.reason
    assert failure.reason


def test_an_error_without_words_tells_its_cause() -> None:
    error = ResponseDataLossError()
    error.__cause__ = ValueError("3 of 10 bytes came")
    assert failed_fetch(error).reason == "ResponseDataLossError: 3 of 10 bytes came"


def test_reasons_are_one_bounded_line() -> None:
    reason = failed_parse(KeyError("a\nb" + "x" * 900)).reason
    assert "\n" not in reason
    assert len(reason) <= 500


def in_flight(**row: object) -> InFlight:
    page = InFlight(claimed(**row), desk=None)  # type: ignore[arg-type]
    page.fetch_id, page.body_hash, page.parser_version = 5, b"h" * 32, "v1"
    return page


def test_the_network_is_tried_again_a_bounded_number_of_times() -> None:
    patience = Patience(attempts=3, backoff=30)
    waits = []
    for attempts in range(3):
        page = in_flight(attempts=attempts)
        page.fail(Failure("fetch", "network", "refused", again=True))
        end = page_end(page, patience)
        waits.append((end.effect, end.wait / 1_000_000, end.attempt))
    assert [effect for effect, _, _ in waits] == ["put_back", "put_back", "failed"]
    assert 15 <= waits[0][1] <= 45
    assert 30 <= waits[1][1] <= 90


def test_a_page_that_vanishes_is_an_error_the_third_time() -> None:
    ends = []
    for strikes in range(3):
        page = in_flight(strikes=strikes)
        page.fail(Failure("run", "lost", "vanished"))
        ends.append(page_end(page, Patience()))
    assert [(end.effect, end.strike) for end in ends] == [("put_back", True), ("put_back", True), ("failed", False)]


def test_a_parser_that_raised_costs_everything_its_page_gave() -> None:
    page = in_flight()
    page.drops.append(NewDrop("parse", "parse", "wanted one, found 0", field="price"))
    page.fail(failed_parse(SelectorMiss([("price", "wanted one, found 0")])))
    end = page_end(page, Patience())
    assert (end.effect, end.stage, end.reason_code) == ("failed", "parse", "parse")
    assert [drop.field for drop in end.drops] == ["price"]
    assert end.parser_version == "v1"


def test_refused_records_are_named_in_the_reason() -> None:
    page = in_flight()
    page.drops += [NewDrop("validate", "validate", "blank", field=f"f{number}") for number in range(5)]
    end = page_end(page, Patience())
    assert (end.effect, end.reason_code) == ("parsed", "validate")
    assert end.reason == "f0: blank; f1: blank; f2: blank; and 2 more"
