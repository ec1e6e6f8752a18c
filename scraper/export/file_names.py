"""The names of one exported file: of its day, stable, in quarantine, and while it is written."""

import re
from dataclasses import dataclass
from datetime import datetime
from glob import escape
from pathlib import Path

QUARANTINE = "quarantine"
_DAY_AND_SUFFIX = re.compile(r"-\d{4,}-\d\d-\d\d\.\w+$")


@dataclass(frozen=True)
class FileNames:
    """Where the files of one export stand."""

    folder: Path
    """The output folder."""
    site: str
    """The site."""
    kind: str | None
    """The kind; None for a file that holds all kinds."""
    suffix: str
    """The format's, without a dot."""
    as_of: datetime
    """The moment of the export; its UTC day is in the name."""

    @property
    def stem(self) -> str:
        """What all names of this export begin with."""
        return f"{self.site}-{self.kind}" if self.kind else self.site

    @property
    def dated(self) -> Path:
        """The file of its day."""
        return self.folder / f"{self.stem}-{self.as_of:%Y-%m-%d}.{self.suffix}"

    @property
    def stable(self) -> Path:
        """The name that always holds the newest published file."""
        return self.folder / f"{self.stem}.{self.suffix}"

    @property
    def quarantined(self) -> Path:
        """Where a file goes that the gate holds back."""
        return self.folder / QUARANTINE / self.dated.name


def manifest_of(file: Path) -> Path:
    """The manifest that stands beside a file."""
    return file.with_name(f"{file.name}.manifest.json")


def part_of(file: Path, export_id: int) -> Path:
    """The name a file has until it is whole; the export's number keeps two writers apart."""
    return file.with_name(f"{file.name}.{export_id}.part")


def parts_of(folder: Path, dated: str, export_id: int) -> list[Path]:
    """All unfinished files that an export with that dated name left in its output folder."""
    stem = _DAY_AND_SUFFIX.sub("", dated)
    return sorted(folder.glob(f"{escape(stem)}[-.]*.{export_id}.part*"))
