"""Every room has a door plate, every module says what it is for, and nothing is called `utils`."""

import ast
from pathlib import Path

import pytest

from scraper.settings import PROJECT_DIR

ROOMS = ("scraper", "spiders", "exports", "demo")
MODULES = sorted(
    file.relative_to(PROJECT_DIR)
    for room in (*ROOMS, "tests")
    for file in (PROJECT_DIR / room).rglob("*.py")
    if "pages" not in file.parts
)
PLACELESS = {"utils", "util", "helpers", "helper", "common", "base", "misc"}


@pytest.mark.parametrize("file", MODULES, ids=str)
def test_a_module_says_what_it_is_for(file: Path) -> None:
    tree = ast.parse((PROJECT_DIR / file).read_text(encoding="utf-8"))
    first = (ast.get_docstring(tree) or "").partition("\n")[0]
    assert first.endswith((".", ":", "`", ",")) or len(first) > 20, f"{file}: it must open with a sentence"
    assert file.stem not in PLACELESS, f"{file}: name it for what it is"


def test_every_room_has_a_door_plate() -> None:
    folders = {file.parent for file in MODULES if file.parts[0] in ROOMS}
    missing = [str(folder) for folder in folders if not (PROJECT_DIR / folder / "__init__.py").is_file()]
    assert missing == []


def test_every_class_of_the_house_says_why_it_exists() -> None:
    """A command says it in its `summary`, which is its help."""
    mute = [
        f"{file}: {node.name}"
        for file in MODULES
        if file.parts[0] in ROOMS
        for node in ast.walk(ast.parse((PROJECT_DIR / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not ast.get_docstring(node) and node.name != "Command"
    ]
    assert mute == []
