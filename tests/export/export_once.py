"""Exports the test's shop in a process of its own, to be killed: DATABASE_URL OUTPUT RUN_ID FORMATS [MOST_BYTES]."""

import resource
import sys
from pathlib import Path

from scraper.errors import ScraperError
from scraper.export.formats import load_formats
from scraper.export.runner import export_site
from scraper.store.database import Database
from tests.export.shop import site


def main(url: str, output: str, run_id: str, formats: str, most: str = "") -> int:
    if most:  # no file may grow beyond it: what a full disk does, without one
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    database = Database(url)
    try:
        export_site(database, site(), int(run_id), load_formats(formats), Path(output))
    except ScraperError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    finally:
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
