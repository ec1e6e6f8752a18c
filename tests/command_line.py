"""Runs the project's commands as an operator does: a process of its own, judged by exit code and output."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scraper.settings import PROJECT_DIR

PRIVATE = ("DATABASE_URL", "CACHE_DIR", "EXPORT_DIR")
"""What a developer's shell may have set; a test never writes there."""


@dataclass(frozen=True)
class Completed:
    """How a command ended."""

    code: int
    """The exit code; negative when a signal killed it."""
    out: str
    """Standard output."""
    err: str
    """Standard error."""


def scrapy(*words: str, env: Mapping[str, str], cwd: Path | None = None, timeout: float = 240) -> Completed:
    """Run `python -m scraper WORDS` to its end. `env` must say where the three private places are."""
    done = subprocess.run(
        [sys.executable, "-m", "scraper", *words],
        env=environment(env),
        cwd=cwd or PROJECT_DIR,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Completed(done.returncode, done.stdout, done.stderr)


def environment(env: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, with the test's own places instead of the developer's."""
    if missing := [name for name in PRIVATE if name not in env]:
        raise ValueError(f"a test must set {', '.join(missing)}")
    return {**os.environ, **env}


@dataclass(frozen=True)
class Project:
    """One private database, cache and export folder, and the commands run on them."""

    folder: Path
    """Where everything is kept."""
    database_url: str
    """The database; empty or missing at first."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """More environment for every command."""

    @property
    def cache_dir(self) -> Path:
        """Where bodies are kept."""
        return self.folder / "cache"

    @property
    def export_dir(self) -> Path:
        """Where finished files go."""
        return self.folder / "exports"

    @property
    def env(self) -> dict[str, str]:
        """What the commands are told of the three places."""
        return {
            "DATABASE_URL": self.database_url,
            "CACHE_DIR": str(self.cache_dir),
            "EXPORT_DIR": str(self.export_dir),
            **self.extra,
        }

    def scrapy(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 240
    ) -> Completed:
        """Run a command to its end; `env` adds to this project's."""
        return scrapy(*words, env={**self.env, **(env or {})}, cwd=cwd, timeout=timeout)

    def start(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.Popen[str]:
        """Start a command and give the process, to be killed or waited for; both outputs go to its `stdout`."""
        return subprocess.Popen(
            [sys.executable, "-m", "scraper", *words],
            env=environment({**self.env, **(env or {})}),
            cwd=cwd or PROJECT_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
