"""`python -m scraper …` is `scrapy …` of this project from any folder, as cron needs it."""

import os
import sys

from scraper.settings import PROJECT_DIR


def main() -> None:
    """Hand the words over to Scrapy, with this project's settings."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "scraper.settings"
    sys.path.insert(0, str(PROJECT_DIR))
    from scrapy.cmdline import execute

    execute(["scrapy", *sys.argv[1:]])


if __name__ == "__main__":
    main()
