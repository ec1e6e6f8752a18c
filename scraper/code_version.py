"""Versions of our own code: a hash of a module and of every project module it imports, directly or through others."""

import ast
import hashlib
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name

PROJECT = ("scraper", "spiders", "exports")


@cache
def version_of(module: str) -> str:
    """16 hex digits that change when the code of `module`, or of a project module it imports, changes.

    Comments and layout do not count: the syntax tree is hashed, not the text.
    """
    total = hashlib.sha256()
    for name in sorted(_reached_from(module)):
        total.update(f"{name}\0{_normal_source(name)}\0".encode())
    return total.hexdigest()[:16]


def _reached_from(module: str) -> set[str]:
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(name))
    return found


@cache
def _spec(module: str) -> ModuleSpec | None:
    try:
        return find_spec(module)
    except ModuleNotFoundError:
        return None  # a name inside a module (`scraper.models.Page`), not a module


@cache
def _tree(module: str) -> ast.Module:
    """The syntax tree, through the loader: in an egg there is no file to open."""
    spec = _spec(module)
    read = getattr(spec.loader, "get_source", None) if spec else None  # zipimporter has it, but is no InspectLoader
    return ast.parse((read(module) if read else None) or "")


@cache
def _normal_source(module: str) -> str:
    return ast.unparse(_tree(module))


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Project modules that `module` imports anywhere in its code."""
    spec = _spec(module)
    package = (spec.parent if spec else None) or ""
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            names.add(source)
            names.update(f"{source}.{alias.name}" for alias in node.names)
    return tuple(sorted(name for name in names if name.split(".")[0] in PROJECT and _spec(name) is not None))
