"""A version changes with the code that a module reaches, and with nothing else."""

import sys
import zipfile
from pathlib import Path

import pytest

from scraper.code_version import version_of
from tests.site_folder import site_folder

PARSER = '''
"""The page."""

from spiders.shop.models import Good
from spiders.shop import words as used

def parse(page):
    return Good, used.COLOUR
'''
FILES = {
    "parsers/good.py": PARSER,
    "models.py": "from .deep import DEEP\nclass Good: pass\n",
    "deep.py": "DEEP = 1\n",
    "words.py": "COLOUR = 'red'\n",
    "unused.py": "A = 1\n",
}
MODULE = "spiders.shop.parsers.good"


@pytest.mark.parametrize(
    ("file", "content", "changes"),
    [
        ("parsers/good.py", PARSER.replace("Good, used", "used, Good"), True),
        ("parsers/good.py", PARSER.replace("def parse", "# a comment\n\n\ndef parse"), False),
        ("models.py", "from .deep import DEEP\nclass Good: x = 1\n", True),
        ("models.py", "from .deep import (\n    DEEP,\n)\nclass Good:\n    pass  # nothing\n", False),
        ("deep.py", "DEEP = 2\n", True),
        ("words.py", "COLOUR = 'blue'\n", True),
        ("unused.py", "A = 2\n", False),
        ("__init__.py", "SITE = None\nx = 1\n", True),
    ],
)
def test_what_a_parser_reaches_is_its_version(tmp_path: Path, file: str, content: str, changes: bool) -> None:
    with site_folder(tmp_path, "shop", FILES) as write:
        before = version_of(MODULE)
        write(file, content)
        assert (version_of(MODULE) != before) is changes


def test_it_is_16_hex_digits_and_stable() -> None:
    version = version_of("scraper.text")
    assert len(version) == 16
    assert int(version, 16) >= 0
    assert version_of("scraper.text") == version


def test_the_site_card_is_not_part_of_a_parser_that_does_not_import_it(tmp_path: Path) -> None:
    alone = {**FILES, "parsers/good.py": "from spiders.shop.models import Good\n"}
    with site_folder(tmp_path, "shop", alone) as write:
        before = version_of(MODULE)
        write("__init__.py", "SITE = None\nx = 1\n")
        assert version_of(MODULE) == before


def test_it_reads_through_the_loader_so_an_egg_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "project.egg", "w") as egg:
        egg.writestr("zipped/__init__.py", "")
        egg.writestr("zipped/one.py", "from zipped.two import A\n")
        egg.writestr("zipped/two.py", "A = 1\n")
    monkeypatch.setattr("scraper.code_version.PROJECT", ("zipped",))
    monkeypatch.syspath_prepend(str(tmp_path / "project.egg"))
    one, two = version_of("zipped.one"), version_of("zipped.two")
    del sys.modules["zipped"]
    assert one != two
    assert one != version_of("scraper.nosuchmodule")
