"""Writes files that are whole or not there: written beside, synced to the disk, renamed."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scraper.errors import ScraperError


def writable(folder: Path) -> Path:
    """The folder, made when missing; raises ScraperError when nothing can be written there."""
    with disk_problems_named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(b"space?")
            stream.flush()
            return folder


def sync(path: Path) -> None:
    """Have the disk hold what was written to the file, or the names in the folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def copy_whole(source: Path, target: Path) -> None:
    """Copy and sync. Not a hard link: whoever edits the one name in place would change the other."""
    shutil.copyfile(source, target)
    sync(target)


def write_text_whole(path: Path, part: Path, text: str) -> None:
    """Give `path` this text in one step; `part` is its name until it is whole."""
    part.write_text(text, encoding="utf-8", newline="\n")
    sync(part)
    part.replace(path)


@contextmanager
def disk_problems_named(folder: Path) -> Iterator[None]:
    """A full or read-only disk becomes one line that says what to do."""
    try:
        yield
    except OSError as error:
        raise ScraperError(
            f"{error.filename or folder}: cannot be written ({error.strerror or error}); "
            "make room or name another folder with --output; the last good files are as they were"
        ) from error
