"""Keeps a page as a test: `python -m tests.keep_page SITE PAGE_TYPE FILE URL CASE` writes html and json for review."""

import json
import sys
from pathlib import Path

from scraper.errors import ScraperError
from scraper.sites import load_site
from tests.kept_pages import PAGES, what_it_yields


def keep_page(site: str, page_type: str, file: Path, url: str, case: str, pages: Path = PAGES) -> Path:
    """Copies the page and writes what its parser makes of it today; gives the path of that json."""
    body = file.read_bytes()
    yields = what_it_yields(load_site(site), page_type, url, body)
    folder = pages / site / page_type
    folder.mkdir(parents=True, exist_ok=True)
    html, truth = folder / f"{case}.html", folder / f"{case}.json"
    with html.open("xb") as new:  # a truth that was reviewed is never overwritten
        new.write(body)
    truth.write_text(json.dumps({"url": url, "yields": yields}, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return truth


def main(words: list[str]) -> int:
    """The command: 0 written, 1 failed, 2 wrong use."""
    if len(words) != 5:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    site, page_type, file, url, case = words
    try:
        truth = keep_page(site, page_type, Path(file), url, case)
    except FileExistsError as error:
        sys.stderr.write(f"{error.filename} exists: take another name for the case, or delete it first\n")
        return 1
    except (ScraperError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{truth}: compare it with the page, then run pytest tests/test_pages.py\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
