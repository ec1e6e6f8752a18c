"""What the settings need to read the environment and `.env`; a line that cannot be read is named, never skipped."""

import re
import sys
from pathlib import Path
from typing import NoReturn

from dotenv.parser import parse_stream


def read_dotenv(file: Path) -> dict[str, str]:
    """The values of a `.env` file by name; empty when there is no file.

    It is read while the settings load, before any command runs, so a bad line ends the process here (exit 2).
    """
    try:
        with file.open(encoding="utf-8") as stream:
            bindings = list(parse_stream(stream))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        _refuse(f"{file}: cannot be read ({error}); mend or remove it")
    for one in bindings:
        if one.error or (one.key is not None and one.value is None):
            begins = re.split(r"[\s=:]", one.original.string.strip(), maxsplit=1)[0]  # what follows may be a secret
            _refuse(f"{file}, line {one.original.line}, {begins!r} …: it is not NAME=value; mend the line")
    return {one.key: one.value for one in bindings if one.key is not None and one.value is not None}


def rooted(url: str, folder: Path) -> str:
    """A DATABASE_URL whose SQLite file, when its path is relative, counts from `folder` and not from where one is."""
    found = re.fullmatch(r"(sqlite(?:\+\w+)?:///)(?!:memory:)(.+)", url)
    return f"{found[1]}{folder / found[2]}" if found else url


def _refuse(reason: str) -> NoReturn:
    sys.stderr.write(f"scrapy: {reason}\n")
    raise SystemExit(2)
