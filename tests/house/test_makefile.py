"""A machine that lacks something is told in one line what to do."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scraper.settings import PROJECT_DIR

TOO_OLD = """#!/bin/sh
case "$*" in *version_info*) exit 1;; esac
exit 0
"""
NO_ENSUREPIP = """#!/bin/sh
case "$*" in *ensurepip*) echo 'ModuleNotFoundError: ensurepip' >&2; exit 1;; esac
exit 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project folder with a space in its name and no venv."""
    folder = tmp_path / "my shop"
    folder.mkdir()
    shutil.copy(PROJECT_DIR / "Makefile", folder)
    return folder


def make(folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", str(folder), *words],
        cwd="/",
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.strip()


@pytest.mark.parametrize(
    ("program", "advice"), [(TOO_OLD, "make PYTHON=python3.12"), (NO_ENSUREPIP, "apt-get install python3-venv")]
)
def test_a_python_that_will_not_do(folder: Path, program: str, advice: str) -> None:
    python = folder / "fake python"
    python.write_text(program)
    python.chmod(0o755)
    code, said = make(folder, f"PYTHON={python}", "demo")
    assert code
    assert len(said.splitlines()) == 1, said
    assert advice in said
    assert not (folder / ".venv").exists()


def test_no_python_at_all(folder: Path) -> None:
    code, said = make(folder, "PYTHON=python-that-is-not-there", "test")
    assert code
    assert len(said.splitlines()) == 1, said
    assert "install Python 3.11" in said


def demo(port: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "demo"],
        cwd=PROJECT_DIR,
        env={"PATH": "/usr/bin:/bin", "DEMO_PORT": port},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_busy_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        assert demo(str(port)) == (
            1,
            f"demo: port {port} is busy; take another one: make demo DEMO_PORT={port + 1}\n",
        )


@pytest.mark.parametrize("port", ["0", "eighty", "65536", "-1"])
def test_a_port_that_is_none(port: str) -> None:
    assert demo(port) == (2, f"demo: DEMO_PORT={port}: use a port between 1 and 65535\n")
