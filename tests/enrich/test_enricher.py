"""Enrichers are found by name, fit their site, and their version tells when they must run again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scraper.enrich.enricher import Enricher, Facts
from scraper.enrich.enrichers import enrichers_of, rule_version
from scraper.enrich.table import read_table
from scraper.errors import BrokenSite
from scraper.sites import load_site
from tests.site_folder import site_folder

ENRICH = """
# A remark.
from scraper.enrich.enricher import Enricher, Facts

class Vat(Facts):
    rate: str

def vat(good, lookup):
    return Vat(rate=lookup.table("vat")[0]["rate"])

ENRICHERS = (Enricher(name="vat", kind="good", output=Vat, enrich=vat, tables=("vat",)),)
"""
Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    files = {"enrich.py": ENRICH, "tables/vat.csv": "country,rate\nGB,20\n"}
    with site_folder(tmp_path, "enriched_shop", files) as write:
        yield write


def version() -> str:
    (one,) = enrichers_of(load_site("enriched_shop"))
    return rule_version(one, "enriched_shop")


def test_they_are_found_by_name(write: Write) -> None:
    (one,) = enrichers_of(load_site("enriched_shop"))
    assert (one.name, one.kind, one.scope, one.output.__name__) == ("vat", "good", (), "Vat")


def test_a_site_needs_none(tmp_path: Path) -> None:
    with site_folder(tmp_path, "plain_shop", {}):
        assert enrichers_of(load_site("plain_shop")) == ()


def test_the_version_changes_with_rules_and_tables_not_with_remarks(write: Write) -> None:
    first = version()
    assert len(first) == 16
    write("enrich.py", ENRICH.replace("# A remark.", "# Another remark."))
    assert version() == first
    write("enrich.py", ENRICH.replace("[0]", "[-1]"))
    changed = version()
    assert changed != first
    write("tables/vat.csv", "country,rate\nGB,21\n")
    assert version() not in (first, changed)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("x = 1", r"enriched_shop/enrich.py: it must set ENRICHERS = \(Enricher"),
        (ENRICH.replace('kind="good"', 'kind="god"'), "vat names kind 'god'; the parsers of enriched_shop yield good"),
        (ENRICH.replace("tables=", 'scope=("tax",), tables='), "scope of vat names kind 'tax'"),
        (ENRICH + "ENRICHERS *= 2", "two of them have one name: vat, vat"),
        (ENRICH.replace('"vat", kind', '"V A T", kind'), "name='V A T': use up to 64 small letters"),
        (ENRICH.replace("enrich=vat", "enrich=print"), "vat needs a plain function"),
    ],
)
def test_what_does_not_fit_is_named(write: Write, content: str, reason: str) -> None:
    write("enrich.py", content)
    with pytest.raises(BrokenSite, match=reason):
        enrichers_of(load_site("enriched_shop"))


def test_a_table_is_read_as_written(write: Write) -> None:
    write("tables/vat.csv", '\ufeffcountry,rate\nGB," 20 "\n')
    assert read_table("enriched_shop", "vat") == ({"country": "GB", "rate": " 20 "},)


@pytest.mark.parametrize("cells", ["GB", "GB,20,x"])
def test_a_table_with_a_crooked_row_is_refused(write: Write, cells: str) -> None:
    write("tables/vat.csv", f"country,rate\nDE,19\n{cells}\n")
    with pytest.raises(BrokenSite, match=r"enriched_shop/tables/vat.csv, line 3: it must have 2 cells"):
        read_table("enriched_shop", "vat")


def test_a_missing_table_is_named(write: Write) -> None:
    write("enrich.py", ENRICH.replace('tables=("vat",)', 'tables=("tax",)'))
    with pytest.raises(BrokenSite, match=r"spiders/enriched_shop/tables/tax.csv cannot be read"):
        version()


def test_facts_are_strict() -> None:
    class Rate(Facts):
        rate: int

    with pytest.raises(ValueError, match="valid integer"):
        Rate(rate="20")
    with pytest.raises(ValueError, match="Extra"):
        Rate(rate=20, other=1)
    assert Enricher(name="rate", kind="good", output=Rate, enrich=lambda good, lookup: Rate(rate=20)).scope == ()
