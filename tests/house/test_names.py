"""A thing is found under its own name: components, sites, parsers, formats."""

import pkgutil
from collections.abc import Iterator

import pytest
from scrapy.utils.misc import load_object

import exports
import scraper.settings
from scraper.settings import PROJECT_DIR
from scraper.sites import load_site, site_names


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def components() -> Iterator[str]:
    """The dotted names of our own classes in settings.py."""
    for value in vars(scraper.settings).values():
        for path in (value, *value, *value.values()) if isinstance(value, dict) else (value,):
            if isinstance(path, str) and path.startswith("scraper.") and path.rpartition(".")[2][:1].isupper():
                yield path


@pytest.mark.parametrize("path", sorted(set(components())))
def test_a_component_is_named_for_its_file(path: str) -> None:
    module, _, name = path.rpartition(".")
    _, room, file = module.rsplit(".", 2) if module.count(".") > 1 else ("", "", module.rpartition(".")[2])
    assert load_object(path).__module__ == module
    hooked = [camel(file) + hook for hook in ("Middleware", "Pipeline")]
    assert name in (camel(file), camel(room) + camel(file), *hooked)


def test_components_are_found() -> None:
    assert len(set(components())) >= 5


@pytest.mark.parametrize("name", site_names())
def test_a_site_and_its_parsers_are_named_for_their_files(name: str) -> None:
    site = load_site(name)
    spider = load_object(f"spiders.{name}.spider.{camel(name)}Spider")
    assert spider.site is site
    assert spider.name == name
    for page_type, page in site.pages.items():
        assert page.parser == f"spiders.{name}.parsers.{page_type}"
    files = {file.stem for file in (PROJECT_DIR / "spiders" / name / "parsers").glob("*.py")} - {"__init__"}
    assert files == set(site.pages)


def test_formats_are_files_not_folders() -> None:
    found = {module.name: module.ispkg for module in pkgutil.iter_modules(exports.__path__)}
    assert found.items() >= {"csv": False, "jsonl": False, "xlsx": False}.items()
    assert not any(found.values())
