"""What a format is: a frozen class, one a file in `exports/`; its fields are its options, its one verb is `write`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from scraper.export.value import Value

Row = tuple[Value, ...]
"""The cells of one record, in the order of the columns."""


@dataclass(frozen=True)
class Sheet:
    """The records of one kind, to be written once, as a stream."""

    kind: str
    """The kind."""
    columns: tuple[str, ...]
    """The headings."""
    as_of: datetime
    """The moment the records show; the only time that may get into the file."""
    rows: Iterator[Row]
    """The records, by number. They are read while they are written; nobody holds them all."""


@dataclass(frozen=True)
class Format(ABC):
    """Turns rows into a file. A subclass is a frozen dataclass; its fields (bool, int or str) are the options."""

    suffix: ClassVar[str]
    """The end of the file's name, without a dot."""
    together: ClassVar[bool] = False
    """True: all kinds in one file. False: one file a kind."""

    @property
    def name(self) -> str:
        """The word a person types: the name of its file in `exports/`."""
        return type(self).__module__.rpartition(".")[2]

    @abstractmethod
    def write(self, path: Path, sheets: Sequence[Sheet]) -> Counter[str]:
        """Write the whole file to `path` in constant memory; gives a count of what had to be replaced, by cause.

        There is at least one sheet, and just one unless `together`. The same sheets give the same bytes: nothing of
        the clock or the machine gets in.
        """
