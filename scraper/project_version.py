"""The version of this project, carried by every run, record and crawl."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def project_version() -> str:
    """The installed version; `unknown` where the project runs without being installed (from an egg, say)."""
    try:
        return version("scraper")
    except PackageNotFoundError:
        return "unknown"
