"""Tracebacks stay out of the log where the error says all itself, and nowhere else."""

import logging
from collections.abc import Callable, Iterator

import pytest

from scraper.errors import CacheProblem
from scraper.monitor.one_line_log import OneLineLog


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[str, Exception], str]]:
    """What a handler with the filter writes when a logger of that name logs an exception."""
    caplog.handler.addFilter(one_line := OneLineLog())

    def write(name: str, error: Exception) -> str:
        caplog.clear()
        try:
            raise error
        except type(error):
            logging.getLogger(name).exception("Error at %(place)s", {"place": "home"})
        [record] = caplog.records
        return caplog.handler.format(record)

    yield write
    caplog.handler.removeFilter(one_line)


def test_an_error_of_ours_is_a_line(logged: Callable[[str, Exception], str]) -> None:
    line = logged("scrapy.core.scraper", CacheProblem("/cache: no space; make room (100 %s)"))
    assert line.endswith("Error at home: /cache: no space; make room (100 %s)")
    assert "\n" not in line


def test_a_missing_robots_txt_is_a_line(logged: Callable[[str, Exception], str]) -> None:
    line = logged("scrapy.downloadermiddlewares.robotstxt", OSError("refused"))
    assert line.endswith("robots.txt cannot be had, so all is allowed: Error at home")
    assert "\n" not in line


def test_a_fault_of_the_code_keeps_its_traceback(logged: Callable[[str, Exception], str]) -> None:
    text = logged("scrapy.core.scraper", ZeroDivisionError("oops"))
    assert "Error at home\nTraceback" in text
    assert text.endswith("ZeroDivisionError: oops")
