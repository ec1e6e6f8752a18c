"""`make demo`: serves the shop, runs the main job on it by the same command a user types, and shows what came of it.

`python -m demo WORDS` runs any other command on the demo's database, like `python -m demo status`.
"""

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from demo.places import PORT, Places, folder_of
from demo.server import LoopbackServer
from demo.visits import Visits
from scraper.settings import PROJECT_DIR

SITE = "demo_shop"
NEXT = {
    "status demo_shop": "how the site stands",
    "try demo_shop product F-207": "what its parser makes of a kept page",
    "reparse demo_shop --all --diff": "what a changed parser would change",
}
"""What to type after it, with the reason."""
HELP = """python -m demo              serve the shop on this machine and run the main job on it, as make demo does
python -m demo WORDS ...    scrapy WORDS ... on the demo's database, cache and files, which are all under var/demo/
                            like: python -m demo status; python -m demo try demo_shop product F-207

The shop is served only while the first of them runs. DEMO_PORT is its port, and each port has a demo of its own.
"""


def main(words: list[str]) -> int:
    """Run the demo, or a command on its places; give the exit code."""
    given = os.environ.get("DEMO_PORT") or str(PORT)
    if not (given.isascii() and given.isdecimal() and 0 < int(given) < 65536):
        return _refuse(f"DEMO_PORT={given}: use a port between 1 and 65535", 2)
    port, places = int(given), Places(folder_of(int(given)))
    if words in (["-h"], ["--help"]):
        sys.stdout.write(HELP)
        return 0
    if words:
        return scrapy(words, places)
    visits = Visits()
    server = LoopbackServer(visits.answer, port)
    try:
        server.start()
    except OSError as error:
        why = "is busy" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
        return _refuse(f"port {port} {why}; take another one: make demo DEMO_PORT={port + 1}", 1)
    try:
        return run_on(server.url, places, visits)
    finally:
        server.stop()


def run_on(url: str, places: Places, visits: Visits) -> int:
    """The main job over the shop at `url`, then the summary."""
    print(f"A shop with 48 goods stands at {url} until this ends; its German prices become exact numbers.\n")
    # Warnings only: Scrapy's own log is of no use to somebody who sees this for the first time.
    if code := scrapy(["run", SITE, "-a", f"base={url}", "-s", "DOWNLOAD_DELAY=0", "-L", "WARNING"], places):
        return code
    print(f"\n{pages_line(places, visits)}")
    for file, records in finished_files(places.exports):
        print(f"  {records:>4} records  {os.path.relpath(file, PROJECT_DIR)}  (+ {file.name}.manifest.json)")
    print("\nNext, in this project's folder, with nothing asked of the shop:")
    port = "" if places.folder == folder_of(PORT) else f"DEMO_PORT={urlsplit(url).port} "
    for words, what in NEXT.items():
        print(f"  {port}.venv/bin/python -m demo {words:<32}  # {what}")
    return 0


def pages_line(places: Places, visits: Visits) -> str:
    """How many pages the crawl had, and where they came from."""
    words = [sys.executable, "-m", "scraper", "status", SITE, "--json"]
    told = subprocess.run(words, env={**os.environ, **places.env}, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    pages = json.loads(told.stdout)["sites"][0]["crawl"]["discovered"]
    fresh = f"{pages - visits.asked} kept ones are still fresh"
    return f"{pages} pages: {visits.asked} asked for" + (f", {fresh}" if pages > visits.asked else "")


def scrapy(words: list[str], places: Places) -> int:
    """Run one command of the project on the demo's places, said aloud first; give its exit code."""
    print(f"$ scrapy {shlex.join(words)}", flush=True)
    child = subprocess.Popen([sys.executable, "-m", "scraper", *words], env={**os.environ, **places.env})  # noqa: S603 - words of the person who types
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        while True:
            try:
                return abs(child.wait())
            except KeyboardInterrupt:
                continue  # Ctrl-C reached the command too; it gives its work back and ends
    finally:
        signal.signal(signal.SIGTERM, before)


def finished_files(folder: Path) -> list[tuple[Path, int]]:
    """The stable files (without a date in their name) that have a manifest, with the records each holds."""
    found = []
    for manifest in sorted(folder.glob(f"{SITE}*.manifest.json")):
        file = manifest.with_name(manifest.name.removesuffix(".manifest.json"))
        if not any(letter.isdigit() for letter in file.stem):
            found.append((file, int(json.loads(manifest.read_text(encoding="utf-8"))["records"])))
    return found


def _refuse(reason: str, code: int) -> int:
    sys.stderr.write(f"demo: {reason}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
