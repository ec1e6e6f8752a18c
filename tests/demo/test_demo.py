"""The demo from its first line to its last, in a folder of the test's own."""

import csv
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from demo.__main__ import NEXT, run_on, scrapy
from demo.places import PORT, Places, folder_of
from demo.server import LoopbackServer
from demo.shop import answer, read_products
from demo.visits import Visits
from scraper.settings import PROJECT_DIR

FILES = ["demo_shop-product.csv", "demo_shop-product.jsonl", "demo_shop.xlsx"]


def test_it_stays_under_var_demo() -> None:
    assert folder_of(PORT) == PROJECT_DIR / "var" / "demo"
    assert folder_of(9000).parent == folder_of(PORT)
    for place in Places(folder_of(PORT)).env.values():
        assert str(folder_of(PORT)) in place


def test_it_ends_with_files_and_a_second_one_fetches_no_product(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    places, server = Places(tmp_path), LoopbackServer(answer)
    for _ in range(2):
        visits = Visits()
        server.answer = visits.answer
        server.start()
        try:
            assert run_on(server.url, places, visits) == 0
        finally:
            server.stop()
    shown = capfd.readouterr()
    assert "Traceback" not in shown.out + shown.err
    assert [line for line in shown.out.splitlines() if line.startswith("52 pages: ")] == [
        "52 pages: 52 asked for",
        "52 pages: 4 asked for, 48 kept ones are still fresh",
    ]
    hints = re.findall(r"^  DEMO_PORT=\d+ \.venv/bin/python -m demo (.+?) +# \w", shown.out, re.M)
    assert len(hints) == 2 * len(NEXT)
    for words in NEXT:
        assert words in hints
        assert scrapy(words.split(), places) == 0, words
    for name in FILES:
        assert shown.out.count(f"{name}  (+ {name}.manifest.json)") == 2
        manifest = json.loads((places.exports / f"{name}.manifest.json").read_text(encoding="utf-8"))
        content = (places.exports / name).read_bytes()
        assert (manifest["records"], manifest["bytes"]) == (48, len(content))
        assert manifest["sha256"] == hashlib.sha256(content).hexdigest()
    with (places.exports / FILES[0]).open(encoding="utf-8-sig", newline="") as stream:
        prices = {row["sku"]: row["price"] for row in csv.DictReader(stream)}
    assert prices == {one.sku: f"{one.cents / 100:.2f}" for one in read_products()}


def test_help_says_what_the_wrapper_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "demo", "--help"], cwd=PROJECT_DIR, capture_output=True, text=True, check=True
    )
    assert "scrapy WORDS ... on the demo's database" in done.stdout
    assert done.stderr == ""
