"""The demo from its first line to its last, in a folder of the test's own."""

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from demo.__main__ import run_on
from demo.places import PORT, Places, folder_of
from demo.server import Answer, LoopbackServer
from demo.shop import answer, read_products
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
    asked: Counter[str] = Counter()

    def counted(path: str) -> Answer:
        asked[path.partition("/goods/")[1]] += 1
        return answer(path)

    places, server = Places(tmp_path), LoopbackServer(counted)
    server.start()
    try:
        for _ in range(2):
            assert run_on(server.url, places) == 0
    finally:
        server.stop()
    assert asked["/goods/"] == len(read_products())
    shown = capfd.readouterr()
    assert "Traceback" not in shown.out + shown.err
    assert shown.out.rstrip().endswith("-m demo status")
    for name in FILES:
        assert shown.out.count(f"{name}  (+ {name}.manifest.json)") == 2
        manifest = json.loads((places.exports / f"{name}.manifest.json").read_text(encoding="utf-8"))
        content = (places.exports / name).read_bytes()
        assert (manifest["records"], manifest["bytes"]) == (48, len(content))
        assert manifest["sha256"] == hashlib.sha256(content).hexdigest()
    with (places.exports / FILES[0]).open(encoding="utf-8-sig", newline="") as stream:
        prices = {row["sku"]: row["price"] for row in csv.DictReader(stream)}
    assert prices == {one.sku: f"{one.cents / 100:.2f}" for one in read_products()}
