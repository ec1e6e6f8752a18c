"""Finds formats by name at run time, so that a user adds one by adding a file to `exports/`."""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import fields
from importlib.util import find_spec
from typing import Any

from scraper.errors import ScraperError, WrongUsage
from scraper.export.format import Format


def format_names() -> list[str]:
    """The names of the files in `exports/`, sorted; nothing is imported."""
    spec = find_spec("exports")
    if spec is None or spec.submodule_search_locations is None:
        return []
    return sorted(one.name for one in pkgutil.iter_modules(spec.submodule_search_locations))


def load_formats(names: str, options: Iterable[str] = ()) -> tuple[Format, ...]:
    """The formats of `csv,xlsx`, each once, with options like `csv.guard=yes`; raises WrongUsage for an unknown one."""
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    if not wanted:
        raise WrongUsage(f"--format names no format; there are: {', '.join(format_names())}")
    given: dict[str, dict[str, str]] = {}
    for option in options:
        place, equals, value = option.partition("=")
        name, dot, field = place.partition(".")
        if not (equals and dot and field):
            raise WrongUsage(f"--option {option}: write FORMAT.NAME=VALUE, like csv.guard=yes")
        if name not in wanted:
            raise WrongUsage(f"--option {option}: {name!r} is not among the formats asked for ({', '.join(wanted)})")
        given.setdefault(name, {})[field] = value
    return tuple(load_format(name, given.get(name, {})) for name in wanted)


def load_format(name: str, options: Mapping[str, str]) -> Format:
    """The format of that name with its options as typed by a person."""
    if name not in format_names():
        raise WrongUsage(f"no format {name!r} in exports/; there are: {', '.join(format_names()) or 'none'}")
    try:
        found = getattr(importlib.import_module(f"exports.{name}"), "FORMAT", None)
    except Exception as error:  # a user's file may raise anything
        raise ScraperError(f"exports/{name}.py cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Format)):
        raise ScraperError(f"exports/{name}.py: it must set FORMAT to a subclass of scraper.export.format.Format")
    known = {field.name: field.type for field in fields(found)}
    if unknown := [option for option in options if option not in known]:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise WrongUsage(f"format {name} has no option {unknown[0]!r}; {has}")
    return found(**{option: _read(name, option, known[option], value) for option, value in options.items()})


def _read(name: str, option: str, wanted: Any, value: str) -> bool | int | str:
    wanted = wanted if isinstance(wanted, str) else wanted.__name__
    if wanted == "bool":
        if value.lower() in ("yes", "true", "on", "1"):
            return True
        if value.lower() in ("no", "false", "off", "0"):
            return False
        raise WrongUsage(f"--option {name}.{option}={value}: write yes or no")
    if wanted == "int":
        if not value.isdecimal():
            raise WrongUsage(f"--option {name}.{option}={value}: write a whole number")
        return int(value)
    return value
