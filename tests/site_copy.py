"""A copy of the project whose sites a test may change, as an operator changes his; the project stays as it is."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from scraper.settings import PROJECT_DIR
from tests.command_line import Completed, Project

CODE = ("scraper", "spiders", "exports")
"""What a command of the project consists of."""


@dataclass(frozen=True, kw_only=True)
class CopiedProject(Project):
    """The commands of a project's copy, on a database, cache and export folder of their own."""

    home: Path
    """The copy. Python looks for modules there first, so commands that start there run its code."""

    def scrapy(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 240
    ) -> Completed:
        """Run a command of the copy to its end."""
        return super().scrapy(*words, env=env, cwd=cwd or self.home, timeout=timeout)

    def start(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.Popen[str]:
        """Start a command of the copy."""
        return super().start(*words, env=env, cwd=cwd or self.home)

    def change(self, file: str, old: str, new: str) -> None:
        """Put `new` in the place of `old`, which stands in the file once or more; change it back to mend it."""
        path = self.home / file
        text = path.read_text(encoding="utf-8")
        if old not in text:
            raise ValueError(f"{file} does not hold {old!r}")
        path.write_text(text.replace(old, new), encoding="utf-8")
        # Python takes a compiled file for current while time, in whole seconds, and size are the same.
        Path(cache_from_source(str(path))).unlink(missing_ok=True)


def copy_project(folder: Path, source: Path = PROJECT_DIR) -> Path:
    """Copy the project's code, compiled files too, into `folder`; gives the copy's place."""
    home = folder / "project"
    for name in CODE:
        shutil.copytree(source / name, home / name)
    shutil.copy2(source / "scrapy.cfg", home)
    return home
