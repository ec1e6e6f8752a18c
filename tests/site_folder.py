"""A site's folder made by a test, found like those in `spiders/`."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import spiders
from scraper import code_version, parser

CARD = """
from scraper.sites import PageType, Site
SITE = Site(
    name="{name}", origin="https://shop.example/",
    pages={{"good": PageType(parser="spiders.{name}.parsers.good", refresh="never")}},
)
"""
PARSER = """
from collections.abc import Iterator
from scraper.models import Page, Record

class Good(Record):
    key = ("sku",)
    sku: str
    group: str

def parse(page: Page) -> Iterator[Good]:
    yield Good(sku="1", group="a")
"""


@contextmanager
def site_folder(folder: Path, name: str, files: dict[str, str]) -> Iterator[Callable[[str, str], None]]:
    """A site with one page type and these files; gives a function that changes one. All is forgotten at the end."""
    home = folder / "spiders" / name

    def write(file: str, content: str) -> None:
        path = home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        forget()

    def forget() -> None:
        for module in [one for one in sys.modules if one == f"spiders.{name}" or one.startswith(f"spiders.{name}.")]:
            del sys.modules[module]
        for module in (code_version, parser):
            for one in vars(module).values():
                if hasattr(one, "cache_clear"):
                    one.cache_clear()
        importlib.invalidate_caches()

    whole = {"__init__.py": CARD.format(name=name), "parsers/__init__.py": "", "parsers/good.py": PARSER, **files}
    spiders.__path__.append(str(folder / "spiders"))
    try:
        for file, content in whole.items():
            write(file, content)
        yield write
    finally:
        spiders.__path__.remove(str(folder / "spiders"))
        forget()
