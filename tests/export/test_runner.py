"""An export from rows to published files, as a client would read them."""

import csv
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from sqlalchemy import select

from scraper.errors import AlreadyRunning, ScraperError, WrongUsage
from scraper.export.file_names import manifest_of
from scraper.export.formats import load_formats
from scraper.export.runner import ExportedFile, export_site
from scraper.schema_version import schema_version
from scraper.store.schema import open_database
from scraper.store.tables import exports
from tests.export.shop import Branch, Enricher, Product, Scorecard, StoredShop, at, product, site

COLUMNS = ["sku", "title", "price", "stock", "since", "tags", "median", "margin_stock", "score", "reasons"]


def export(
    shop: StoredShop, output: Path, formats: str = "csv,xlsx,jsonl", *, run_id: int | None = None, **options: Any
) -> dict[str, ExportedFile]:
    """The files by stable name, or by their own where they have none."""
    card = options.pop("card", site())
    run_id = run_id or shop.run()
    found = export_site(
        shop.database,
        card,
        run_id,
        load_formats(formats),
        output,
        enrichers=[Enricher()],
        scorecards=[Scorecard()],
        **options,
    )
    shop.lose(run_id)
    return {(file.stable or file.path).name: file for file in found}


def fill(shop: StoredShop) -> None:
    """Three products and two branches, one product with everything, one with nothing added."""
    shop.crawl()
    full = shop.put(product("1", "51.77", since=date(2024, 1, 2), tags=["a", "b"]), hour=2)
    shop.fact(full, median="50.00", stock=7)
    shop.score(full, 71.5, "cheap: +30", "in stock: +20")
    shop.put(product("2", "0.10", title='=1+1, "quoted"\nand ä'), hour=4)
    shop.put(product("3", "19.90"), hour=3)
    shop.put(Branch(city="Köln", opened=datetime(2020, 2, 29, 8, tzinfo=UTC)), hour=5)
    shop.put(Branch(city="York"), hour=5)


def read_csv(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def read_jsonl(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def manifest(file: Path) -> dict[str, Any]:
    return json.loads(manifest_of(file).read_text(encoding="utf-8"))


def rows(shop: StoredShop) -> list[Any]:
    with shop.database.read() as connection:
        return list(connection.execute(select(exports).order_by(exports.c.id)))


@pytest.fixture
def any_shop(database_url: str) -> Iterator[StoredShop]:
    """The shop's database on each engine."""
    opened = open_database(database_url)
    yield StoredShop(opened)
    opened.close()


def test_three_formats_hold_the_same_rows_and_columns(any_shop: StoredShop, tmp_path: Path) -> None:
    fill(any_shop)
    files = export(any_shop, tmp_path)
    assert sorted(files) == [
        "shop-branch.csv",
        "shop-branch.jsonl",
        "shop-product.csv",
        "shop-product.jsonl",
        "shop.xlsx",
    ]
    lines = read_jsonl(tmp_path / "shop-product.jsonl")
    assert [list(line) for line in lines] == [COLUMNS] * 3
    assert [line["sku"] for line in lines] == ["1", "2", "3"]
    assert lines[0] == {
        "sku": "1",
        "title": "Title 1",
        "price": "51.77",
        "stock": 3,
        "since": "2024-01-02",
        "tags": ["a", "b"],
        "median": "50.00",
        "margin_stock": 7,
        "score": 71.5,
        "reasons": ["cheap: +30", "in stock: +20"],
    }
    assert lines[1] == {
        **dict.fromkeys(COLUMNS),
        "sku": "2",
        "title": '=1+1, "quoted"\nand ä',
        "price": "0.10",
        "stock": 3,
        "tags": [],
    }
    header, *cells = read_csv(tmp_path / "shop-product.csv")
    assert header == COLUMNS
    assert cells[0] == [
        *("1", "Title 1", "51.77", "3", "2024-01-02", '["a","b"]', "50.00", "7", "71.5"),
        '["cheap: +30","in stock: +20"]',
    ]
    assert cells[1] == ["2", '=1+1, "quoted"\nand ä', "0.10", "3", "", "[]", "", "", "", ""]
    book = load_workbook(tmp_path / "shop.xlsx")
    assert book.sheetnames == ["product", "branch"]
    page = list(book["product"].iter_rows(values_only=True))
    assert list(page[0]) == COLUMNS
    assert page[1][:5] == ("1", "Title 1", 51.77, 3, datetime(2024, 1, 2))  # noqa: DTZ001 - a cell knows no zone
    assert page[2][1] == '=1+1, "quoted"\nand ä'
    assert [row[0] for row in page[1:]] == ["1", "2", "3"]
    assert [row[0].value for row in book["branch"].iter_rows(min_row=2)] == ["Köln", "York"]


def test_manifests_are_right_when_recomputed(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    files = export(shop, tmp_path)
    for name, file in files.items():
        content = (tmp_path / name).read_bytes()
        assert content == file.path.read_bytes(), name
        assert manifest(file.path) == manifest(tmp_path / name)
        said = manifest(tmp_path / name)
        assert said["sha256"] == hashlib.sha256(content).hexdigest() == file.sha256
        assert said["bytes"] == len(content) == file.bytes
        assert said["result"] == "published"
        assert said["stable"] == name
        assert said["crawl"] == {"no": 1, "state": "finished", "started_at": "2024-05-01T01:00:00.000000Z"}
    said = manifest(tmp_path / "shop-product.csv")
    assert said["records"] == 3 == len(read_csv(tmp_path / "shop-product.csv")) - 1
    assert said["kinds"] == {"product": 3}
    assert said["columns"] == COLUMNS
    assert said["schema_version"] == schema_version(Product)
    assert (said["first_fetch"], said["last_fetch"]) == ("2024-05-01T02:00:00.000000Z", "2024-05-01T04:00:00.000000Z")
    assert said["options"] == {"guard": False, "bom": True}
    both = manifest(tmp_path / "shop.xlsx")
    assert (both["records"], both["kinds"]) == (5, {"product": 3, "branch": 2})
    assert both["columns"] == {"product": COLUMNS, "branch": ["city", "opened"]}
    assert both["schema_version"] == {"product": schema_version(Product), "branch": schema_version(Branch)}
    assert both["last_fetch"] == "2024-05-01T05:00:00.000000Z"
    assert manifest(tmp_path / "shop-product.jsonl")["records"] == 3


def test_rows_say_what_was_published(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    files = export(shop, tmp_path, "csv,xlsx")
    found = rows(shop)
    assert [(row.kind, row.format, row.result, row.records, row.open_key, row.forced) for row in found] == [
        ("product", "csv", "published", 3, None, False),
        ("branch", "csv", "published", 2, None, False),
        ("*", "xlsx", "published", 5, None, False),
    ]
    assert {row.path for row in found} == {str(file.path) for file in files.values()}
    assert all(row.finished_at and json.loads(row.manifest)["sha256"] == row.sha256 for row in found)
    assert len({row.as_of for row in found}) == 1


def test_the_same_moment_gives_the_same_bytes(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    before = export(shop, tmp_path / "a", as_of=at(6))
    version = shop.put(product("1", "1.00"), hour=7)
    shop.fact(version, median="9.00", stock=1, hour=7)
    shop.put(product("4"), hour=7)
    export(shop, tmp_path / "b", as_of=at(6))
    assert len(before) == 5
    for name in before:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert before["shop-product.csv"].path.name == "shop-product-2024-05-01.csv"
    now = export(shop, tmp_path / "c", "jsonl")
    assert [line["price"] for line in read_jsonl(tmp_path / "c" / "shop-product.jsonl")] == [
        "1.00",
        "0.10",
        "19.90",
        "51.77",
    ]
    assert now["shop-product.jsonl"].records == 4


def test_facts_and_scores_of_a_later_moment_are_not_shown(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    files = export(shop, tmp_path, "jsonl", as_of=at(2, 30))
    (line,) = read_jsonl(tmp_path / "shop-product.jsonl")
    assert (line["sku"], line["median"], line["score"]) == ("1", None, None)
    assert files["shop-product.jsonl"].records == 1


def test_the_stable_name_never_goes_back_in_time(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    newest = export(shop, tmp_path, "csv")["shop-product.csv"]
    old = export(shop, tmp_path, "csv", as_of=at(2, 30))["shop-product-2024-05-01.csv"]
    assert (old.stable, old.records) == (None, 1)
    assert (tmp_path / "shop-product.csv").read_bytes() == newest.path.read_bytes()
    assert manifest(old.path)["stable"] is None
    assert manifest(tmp_path / "shop-product.csv")["records"] == 3


def test_a_moment_in_the_future_is_refused(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    with pytest.raises(WrongUsage, match="in the future"):
        export(shop, tmp_path, as_of=datetime.now(UTC) + timedelta(minutes=1))
    assert list(tmp_path.glob("shop*")) == []
    assert rows(shop) == []


def test_no_record_leaves_files_without_rows(shop: StoredShop, tmp_path: Path) -> None:
    shop.crawl()
    export(shop, tmp_path)
    assert read_csv(tmp_path / "shop-product.csv") == [COLUMNS]
    assert (tmp_path / "shop-product.jsonl").read_bytes() == b""
    assert [list(page.iter_rows(values_only=True)) for page in load_workbook(tmp_path / "shop.xlsx")] == [
        [tuple(COLUMNS)],
        [("city", "opened")],
    ]
    for name in ("shop-product.csv", "shop-product.jsonl", "shop.xlsx"):
        said = manifest(tmp_path / name)
        assert (said["records"], said["first_fetch"], said["last_fetch"]) == (0, None, None)


def test_an_unfinished_crawl_is_held_back(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    good = export(shop, tmp_path, "csv")["shop-product.csv"]
    shop.crawl("open", no=2)
    shop.put(product("9"), hour=8)
    held = export(shop, tmp_path, "csv")
    file = held[good.path.name]
    assert file.held == "the newest crawl of shop is open, not finished"
    assert (file.path.parent.name, file.stable) == ("quarantine", None)
    assert manifest(file.path)["result"] == f"quarantined: {file.held}"
    assert len(read_csv(file.path)) == 5
    assert hashlib.sha256((tmp_path / "shop-product.csv").read_bytes()).hexdigest() == good.sha256
    assert manifest(tmp_path / "shop-product.csv")["records"] == 3
    assert [row.result for row in rows(shop)] == ["published"] * 2 + ["quarantined"] * 2
    assert list(tmp_path.rglob("*.part*")) == []


def test_a_broken_promise_is_held_back_unless_forced(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    card = site(records=6)
    files = export(shop, tmp_path, "csv", card=card)
    reason = "promise broken: records: 5, promised at least 6"
    assert {file.held for file in files.values()} == {reason}
    assert not (tmp_path / "shop-product.csv").exists()
    files = export(shop, tmp_path, "csv", card=card, force=True)
    assert {file.held for file in files.values()} == {None}
    said = manifest(tmp_path / "shop-product.csv")
    assert (said["result"], said["forced"]) == ("published", reason)
    assert [(row.result, row.forced) for row in rows(shop)] == [("quarantined", False)] * 2 + [("published", True)] * 2
    assert export(shop, tmp_path, "csv", force=True)["shop-product.csv"].held is None
    assert [row.forced for row in rows(shop)][-2:] == [False, False]


def test_empty_never_replaces_the_last_good_one(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    export(shop, tmp_path, "csv")
    with shop.database.write() as connection:
        connection.exec_driver_sql("UPDATE versions SET state='gone', data=NULL")
    files = export(shop, tmp_path, "csv")
    assert {file.held for file in files.values()} == {
        "empty: 0 records, 3 in the last published file",
        "empty: 0 records, 2 in the last published file",
    }
    assert len(read_csv(tmp_path / "shop-product.csv")) == 4


def test_a_second_export_of_the_same_file_is_refused(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    first, second = shop.run(), shop.run()

    def meanwhile(_name: str, _done: int, _most: int) -> None:
        with pytest.raises(AlreadyRunning, match=rf"run {first} \(process 1 on here\) writes this csv file since"):
            export_site(shop.database, site(), second, load_formats("jsonl,csv"), tmp_path)
        files = export_site(shop.database, site(), second, load_formats("jsonl"), tmp_path)
        assert len(files) == 2

    export_site(shop.database, site(), first, load_formats("csv"), tmp_path, tell=meanwhile)
    assert {row.result for row in rows(shop)} == {"published"}


def test_more_records_than_a_page(shop: StoredShop, tmp_path: Path) -> None:
    shop.crawl()
    version = shop.put(product("0"))
    with shop.database.write() as connection:
        for table, key in (("records", "key_hash"), ("versions", "record_id")):
            copied = connection.exec_driver_sql(f"SELECT * FROM {table} LIMIT 1").mappings().one()
            for number in range(2, 2502):
                row = {**copied, "id": number, key: number if key == "record_id" else number.to_bytes(32, "big")}
                names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
                connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
    assert version == 1
    told: list[tuple[str, int, int]] = []
    files = export(shop, tmp_path, "jsonl", tell=lambda *words: told.append(words))
    assert files["shop-product.jsonl"].records == 2501 == len(read_jsonl(tmp_path / "shop-product.jsonl"))
    assert told[:2] == [("shop-product.jsonl product", 0, 2501), ("shop-product.jsonl product", 250, 2501)]
    assert ("shop-product.jsonl product", 2501, 2501) in told
    with shop.database.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT r.id FROM records r JOIN versions v ON v.record_id=r.id AND v.valid_from<=9 "
            "AND v.valid_to>9 WHERE r.site_id=1 AND r.kind='a' AND r.id>5 AND v.state='live' ORDER BY r.id LIMIT 9"
        )
        assert "USE TEMP B-TREE" not in str(plan.all())


def test_not_a_number_is_nothing_in_every_format_and_counted(shop: StoredShop, tmp_path: Path) -> None:
    shop.crawl()
    version = shop.put(product("1"))
    shop.fact(version, median="1", stock=1)
    shop.score(version, float("inf"), "x")
    with shop.database.write() as connection:
        connection.exec_driver_sql("""UPDATE enrichments SET data='{"median":NaN,"stock":1}'""")
    export(shop, tmp_path)
    (line,) = read_jsonl(tmp_path / "shop-product.jsonl")
    assert (line["median"], line["score"], line["reasons"]) == (None, None, ["x"])
    assert read_csv(tmp_path / "shop-product.csv")[1][6:9] == ["", "1", ""]
    for name in ("shop-product.csv", "shop-product.jsonl", "shop.xlsx"):
        assert manifest(tmp_path / name)["replaced"] == {"not_a_number": 2}


def test_a_failure_leaves_the_old_file_and_a_failed_row(shop: StoredShop, tmp_path: Path) -> None:
    fill(shop)
    good = export(shop, tmp_path)
    with shop.database.write() as connection:
        connection.exec_driver_sql("UPDATE versions SET data='{' WHERE id=3")
    for formats in ("csv", "jsonl", "xlsx"):
        with pytest.raises(json.JSONDecodeError):
            export(shop, tmp_path, formats)
    assert [row.result for row in rows(shop)][5:] == ["failed"] * 5
    assert all((tmp_path / name).read_bytes() == file.path.read_bytes() for name, file in good.items())
    assert list(tmp_path.rglob("*.part*")) == []


def test_a_folder_that_cannot_be_made(shop: StoredShop, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ScraperError, match=r"file/out: cannot be written \(Not a directory\)"):
        export(shop, tmp_path / "file" / "out")
