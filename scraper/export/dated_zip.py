"""A zip file whose members bear a given time, so that the same content gives the same bytes."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)  # a zip knows no year before


class DatedZip(ZipFile):
    """Written like any ZipFile. `zipfile` itself would stamp the clock, in local time, and the source's permissions."""

    def __init__(self, file: Path, moment: datetime) -> None:
        super().__init__(file, "w", ZIP_DEFLATED)
        self._moment = max(moment.astimezone(UTC), _EARLIEST)

    def writestr(self, zinfo_or_arcname: Any, data: Any, *_: Any, **__: Any) -> None:
        """Add a member from memory."""
        super().writestr(self._member(str(zinfo_or_arcname)), data)

    def write(self, filename: Any, arcname: Any = None, *_: Any, **__: Any) -> None:
        """Add a member from a file, in pieces."""
        member = self._member(str(arcname or filename))
        member.file_size = os.stat(filename).st_size  # noqa: PTH116 - decides on ZIP64 before the first byte
        with Path(filename).open("rb") as source, self.open(member, "w") as target:
            shutil.copyfileobj(source, target, 1 << 20)

    def _member(self, name: str) -> ZipInfo:
        member = ZipInfo(name, self._moment.timetuple()[:6])
        member.compress_type = ZIP_DEFLATED
        member.external_attr = 0o600 << 16
        member.create_system = 3
        return member
