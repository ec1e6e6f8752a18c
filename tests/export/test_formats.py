"""Formats are found by name; their options are their fields."""

import re
import sys
from pathlib import Path

import pytest

import exports
from exports.csv import Csv
from exports.jsonl import Jsonl
from exports.xlsx import Xlsx
from scraper.errors import ScraperError, WrongUsage
from scraper.export.format import Sheet
from scraper.export.formats import format_names, load_formats
from scraper.settings import PROJECT_DIR
from tests.export.shop import at


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as part of `exports/`."""
    exports.__path__.append(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    exports.__path__.remove(str(tmp_path))
    for name in set(sys.modules) - before:
        if name.startswith("exports."):
            del sys.modules[name]


def test_each_once_in_the_order_asked() -> None:
    assert load_formats("xlsx,csv, jsonl,csv") == (Xlsx(), Csv(), Jsonl())
    assert [one.name for one in load_formats("csv,xlsx,jsonl")] == ["csv", "xlsx", "jsonl"]


def test_options_are_typed() -> None:
    assert load_formats("csv,xlsx", ["csv.guard=yes", "csv.bom=no", "xlsx.max_rows=5"]) == (
        Csv(guard=True, bom=False),
        Xlsx(max_rows=5),
    )


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        ("pdf", [], "no format 'pdf' in exports/; there are: csv, jsonl, xlsx"),
        ("", [], "names no format"),
        ("csv", ["guard=yes"], "write FORMAT.NAME=VALUE"),
        ("csv", ["xlsx.max_rows=5"], "'xlsx' is not among the formats asked for"),
        ("csv", ["csv.colour=red"], "format csv has no option 'colour'; it has guard, bom"),
        ("jsonl", ["jsonl.x=1"], "it has none"),
        ("csv", ["csv.guard=maybe"], "write yes or no"),
        ("xlsx", ["xlsx.max_rows=many"], "write a whole number"),
        ("xlsx", ["xlsx.max_rows=1"], "a sheet has 2 to 1,048,576 rows"),
    ],
)
def test_wrong_words(names: str, options: list[str], said: str) -> None:
    with pytest.raises(WrongUsage, match=re.escape(said)):
        load_formats(names, options)


def test_a_broken_file_hides_no_other(folder: Path) -> None:
    (folder / "broken.py").write_text('"""x"""\n1 / 0\n')
    (folder / "empty.py").write_text('"""x"""\n')
    assert load_formats("csv") == (Csv(),)
    with pytest.raises(ScraperError, match=r"exports/broken\.py cannot be loaded: ZeroDivisionError"):
        load_formats("broken")
    with pytest.raises(ScraperError, match=r"exports/empty\.py: it must set FORMAT"):
        load_formats("empty")


def test_the_readme_s_own_format_works(folder: Path) -> None:
    readme = (PROJECT_DIR / "exports" / "README.md").read_text(encoding="utf-8")
    (folder / "tsv.py").write_text(re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1])
    assert "tsv" in format_names()
    (tsv,) = load_formats("tsv")
    file = folder / "out.tsv"
    tsv.write(file, [Sheet("thing", ("a", "b"), at(1), iter([("x\ty", 1), (None, True)]))])
    assert file.read_text() == "a\tb\nx y\t1\n\ttrue\n"


def test_the_readme_names_every_option() -> None:
    readme = (PROJECT_DIR / "exports" / "README.md").read_text(encoding="utf-8")
    said = set(re.findall(r"^\| `(\w+\.\w+)` \|", readme, re.MULTILINE))
    assert said == {f"{one.name}.{field}" for one in load_formats("csv,jsonl,xlsx") for field in vars(one)}
