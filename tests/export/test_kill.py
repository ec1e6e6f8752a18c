"""A kill at any moment leaves the old file or the new one, and the next export repairs what was left."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from scraper.export.file_names import manifest_of
from scraper.export.formats import load_formats
from scraper.export.runner import export_site
from scraper.settings import PROJECT_DIR
from scraper.store.tables import exports
from tests.export.shop import StoredShop, product, site

NOTHING_RENAMED = ("export:rows", "export:temp", "export:ready")
RENAMED = ("export:renamed-stable", "export:renamed-dated", "export:renamed")
FILE = {"csv": "shop-product.csv", "jsonl": "shop-product.jsonl", "xlsx": "shop.xlsx"}


def export(shop: StoredShop, output: Path, formats: str) -> None:
    """One export that is left alone."""
    run_id = shop.run()
    export_site(shop.database, site(), run_id, load_formats(formats), output)
    shop.lose(run_id)


def export_to_die(
    shop: StoredShop, output: Path, formats: str, *, killed_at: str = "", most: str = ""
) -> subprocess.CompletedProcess[str]:
    """One export in a process of its own; its run is found dead afterwards."""
    run_id = shop.run()
    url = shop.database.engine.url.render_as_string()
    done = subprocess.run(
        [sys.executable, "-m", "tests.export.export_once", url, str(output), str(run_id), formats, most],
        env={**os.environ, "SCRAPER_CUT_POINT": killed_at},
        cwd=PROJECT_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    shop.lose(run_id)
    return done


def results(shop: StoredShop) -> list[str]:
    with shop.database.read() as connection:
        return list(
            connection.execute(
                select(exports.c.result).where(exports.c.kind != "branch").order_by(exports.c.id)
            ).scalars()
        )


def check(output: Path, name: str, records: int) -> None:
    """The stable file and its manifest fit, and nothing unfinished is left."""
    said = json.loads(manifest_of(output / name).read_text())
    assert said["records"] == records
    assert said["sha256"] == hashlib.sha256((output / name).read_bytes()).hexdigest()
    assert (output / name).read_bytes() == (output / said["file"]).read_bytes()
    assert list(output.rglob("*.part*")) == []


@pytest.mark.parametrize(
    ("name", "moment"),
    [*(("csv", moment) for moment in (*NOTHING_RENAMED, *RENAMED)), ("xlsx", "export:temp"), ("jsonl", "export:rows")],
)
def test_killed(shop: StoredShop, tmp_path: Path, name: str, moment: str) -> None:
    output, stable = tmp_path / "out with space", tmp_path / "out with space" / FILE[name]
    shop.crawl()
    shop.put(product("1"))
    export(shop, output, name)
    old = stable.read_bytes()
    shop.put(product("2"))

    assert export_to_die(shop, output, name, killed_at=moment).returncode == -signal.SIGKILL
    if moment in NOTHING_RENAMED:
        assert stable.read_bytes() == old
        check_old = json.loads(manifest_of(stable).read_text())
        assert check_old["sha256"] == hashlib.sha256(old).hexdigest()
    else:
        assert stable.read_bytes() != old
    assert list(output.glob("*.part*")) or moment in RENAMED[1:]

    shop.put(product("3"))
    export(shop, output, name)
    check(output, FILE[name], 3)
    assert results(shop) == ["published", "failed" if moment in NOTHING_RENAMED else "published", "published"]


@pytest.mark.parametrize("moment", RENAMED)
def test_what_had_begun_to_be_published_is_finished_first(shop: StoredShop, tmp_path: Path, moment: str) -> None:
    shop.crawl()
    shop.put(product("1"))
    assert export_to_die(shop, tmp_path, "csv", killed_at=moment).returncode == -signal.SIGKILL
    export(shop, tmp_path, "jsonl")  # repairs the CSV, and does not write it again
    said = json.loads(manifest_of(tmp_path / "shop-product.csv").read_text())
    assert said["sha256"] == hashlib.sha256((tmp_path / "shop-product.csv").read_bytes()).hexdigest()
    assert (tmp_path / said["file"]).read_bytes() == (tmp_path / "shop-product.csv").read_bytes()
    assert list(tmp_path.glob("*.csv.*.part*")) == []
    assert results(shop)[0] == "published"


def test_the_first_export_killed_leaves_no_final_name(shop: StoredShop, tmp_path: Path) -> None:
    shop.crawl()
    shop.put(product("1"))
    for name in ("csv", "xlsx"):
        output = tmp_path / name
        assert export_to_die(shop, output, name, killed_at="export:temp").returncode == -signal.SIGKILL
        assert [file.name for file in output.iterdir() if not file.name.endswith(".part")] == []
        export(shop, output, name)
        check(output, FILE[name], 1)


def test_a_held_back_file_is_finished_too(shop: StoredShop, tmp_path: Path) -> None:
    shop.put(product("1"))
    assert export_to_die(shop, tmp_path, "xlsx", killed_at="export:renamed").returncode == -signal.SIGKILL
    export(shop, tmp_path, "csv")
    assert results(shop) == ["quarantined"] * 2
    (file,) = (tmp_path / "quarantine").glob("*.xlsx")
    assert json.loads(manifest_of(file).read_text())["result"] == "quarantined: shop was never crawled"
    assert not (tmp_path / "shop.xlsx").exists()


@pytest.mark.parametrize("name", FILE)
def test_a_full_disk_is_one_line_and_the_old_file_stays(shop: StoredShop, tmp_path: Path, name: str) -> None:
    shop.crawl()
    shop.put(product("1"))
    export(shop, tmp_path, name)
    for number in range(2, 22):
        shop.put(product(str(number), title=os.urandom(16_000).hex()))
    with shop.database.engine.connect() as connection:  # so that the database itself needs no long file
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    ended = export_to_die(shop, tmp_path, name, most="200000")
    assert ended.returncode == 1, ended
    assert "cannot be written" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    check(tmp_path, FILE[name], 1)
    assert results(shop)[-1] == "failed"
