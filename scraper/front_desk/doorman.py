"""What all our commands share: options in, one call, exit code out; an unknown option or a failure is one line."""

from __future__ import annotations

import argparse
import signal
import sys
from abc import abstractmethod
from types import FrameType
from typing import Any, ClassVar, NoReturn

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from scraper.errors import ScraperError
from scraper.store.database import Database
from scraper.store.schema import open_database

FINE, FAILED, USAGE, RUNNING, HELD = 0, 1, 2, 3, 4


class Doorman(ScrapyCommand):
    """A command of ours: a subclass states `arguments`, `summary`, `example`, and does one call in `serve`."""

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    arguments: ClassVar[tuple[str, ...]] = ("SITE",)
    """The words it takes, in order; one in brackets (`[SITE]`) may be left out."""
    summary: ClassVar[str] = ""
    """One sentence: what it does."""
    example: ClassVar[str] = ""
    """A line to type."""

    _database: Database | None = None

    def syntax(self) -> str:
        return " ".join((*self.arguments, "[options]"))

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return f"{self.summary} Example: {self.example}"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's own options of every command. What is wrong with any of them is told in one line, too."""
        super().add_options(parser)
        parser.allow_abbrev = False  # `--out` of today may be another option tomorrow
        parser.error = self._refuse  # type: ignore[method-assign,assignment]  # argparse prints the usage as well, over many lines

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Take Scrapy's options in; a file they name may not be writable."""
        try:
            super().process_options(args, opts)
        except OSError as error:
            raise UsageError(f"{error.filename}: {error.strerror}; name another file", print_help=False) from error

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the words, do the work, set the exit code."""
        self._check(args)
        signal.signal(signal.SIGTERM, stop)
        try:
            self.exitcode = self.serve(args, opts)
        except ScraperError as error:
            self._complain(str(error))
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            self._complain("stopped; what was finished is kept, start it again to go on")
            self.exitcode = FAILED
        finally:
            if self._database is not None:
                self._database.close()  # the last to close an SQLite file folds its -wal into it

    def _refuse(self, words: str) -> NoReturn:
        self._complain(words)
        raise SystemExit(USAGE)

    def _complain(self, words: str) -> None:
        """One line, whatever a site's code or a database put into its message."""
        sys.stderr.write(f"scrapy {self.name}: {' '.join(words.split())}\n")

    @property
    def name(self) -> str:
        """The word after `scrapy`."""
        return type(self).__module__.rpartition(".")[2]

    def _check(self, args: list[str]) -> None:
        """Scrapy lets unknown options through, as words; here they are refused."""
        if unknown := [word for word in args if word.startswith("-") and word != "-"]:
            raise UsageError(f"unknown option {unknown[0]}; see: scrapy {self.name} --help", print_help=False)
        needed = sum(not word.startswith("[") for word in self.arguments)
        if not needed <= len(args) <= len(self.arguments):
            raise UsageError(
                f"it takes {' '.join(self.arguments) or 'no words'}; like: {self.example}", print_help=False
            )

    @abstractmethod
    def serve(self, args: list[str], opts: argparse.Namespace) -> int:
        """Do the work; give the exit code."""

    def database(self) -> Database:
        """The database of the settings, created or checked."""
        assert self.settings is not None
        self._database = open_database(self.settings["DATABASE_URL"])
        return self._database

    def say(self, line: str = "") -> None:
        """A line of the answer, on standard output."""
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """SIGTERM ends a command as Ctrl-C does: what is finished is kept, what is held is given back."""
    raise KeyboardInterrupt
