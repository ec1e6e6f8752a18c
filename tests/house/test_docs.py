"""What the documents at the door say is true of the house."""

import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scraper.settings import PROJECT_DIR

DOCS = sorted(file.relative_to(PROJECT_DIR) for file in (*PROJECT_DIR.glob("*.md"), *PROJECT_DIR.glob("docs/*.md")))


def targets() -> set[str]:
    shown = subprocess.run(["make"], cwd=PROJECT_DIR, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  make (\w+) +\S", shown, re.M))


def test_make_alone_lists_every_target() -> None:
    declared = re.search(r"^\.PHONY: (.*)$", (PROJECT_DIR / "Makefile").read_text(encoding="utf-8"), re.M)
    assert declared is not None
    assert targets() == set(declared[1].split())


@pytest.mark.parametrize("file", DOCS, ids=str)
def test_documents_name_what_exists(file) -> None:
    text = (PROJECT_DIR / file).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:^    |`)make (\w+)", text, re.M)) <= targets()
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (PROJECT_DIR / file.parent / link).exists(), f"{file}: {link}"


def test_readme_names_what_the_environment_sets() -> None:
    read = set(re.findall(r'_env\.get\("(\w+)"\)', (PROJECT_DIR / "scraper/settings.py").read_text(encoding="utf-8")))
    assert read
    for file in ("README.md", "docs/settings.md"):
        said = set(re.findall(r"^\| `([A-Z_]+)` \|", (PROJECT_DIR / file).read_text(encoding="utf-8"), re.M))
        assert said == read, file


def test_constraints_pin_what_the_project_needs_and_name_no_index() -> None:
    lines = [
        line
        for line in (PROJECT_DIR / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    project = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in (*project["dependencies"], *project["optional-dependencies"]["dev"]):
        needed = Requirement(text)
        assert pinned[canonicalize_name(needed.name)] in needed.specifier, text
