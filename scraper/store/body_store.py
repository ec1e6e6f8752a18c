"""Bodies on disk by content hash, compressed: written whole or not at all, and checked on reading."""

import errno
import hashlib
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from scraper.errors import BodyDamaged, CacheProblem
from scraper.store.cut_points import cut_point

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL = 3  # gzip's size at a fifth of its time
_UNFINISHED = ".part"


@dataclass(frozen=True)
class KeptBody:
    """A body that is on disk, as the table `bodies` has it."""

    hash: bytes
    """SHA-256 of the content: 32 bytes."""
    bytes: int
    """Length of the content."""
    stored_bytes: int
    """Length of the file."""


class BodyStore:
    """Keeps and gives bodies: `<folder>/ab/<SHA-256>.zst`. Any number of threads and processes may share a folder.

    A file under its final name is whole: it is written beside, synced, renamed, and the folder is synced, before `keep`
    returns. Syncing makes 1.0 ms of 0.1 ms a page (5 KB, SSD): little beside the seconds between two requests, and
    without it a power cut takes pages that the database says are kept. A damaged file stays where it is until `keep`
    gets that content again and replaces it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, body: bytes) -> KeptBody:
        """Have the body on disk. What is there already is read and compared, which costs less than to write it.

        Raises CacheProblem when the disk is full or not writable; nothing of the body is left then.
        """
        digest = hashlib.sha256(body).digest()
        file = self._file(digest)
        try:
            stored = file.read_bytes()
            if zstd.decompress(stored) == body:
                return KeptBody(digest, len(body), len(stored))
        except (FileNotFoundError, zstd.ZstdError):
            pass  # missing or damaged: written below
        except OSError as error:
            if error.errno != errno.EIO:
                raise self._problem("read", error) from error
        stored = zstd.compress(body, _LEVEL)
        self._write(file, stored)
        cut_point("body:written")
        return KeptBody(digest, len(body), len(stored))

    def load(self, digest: bytes) -> bytes:
        """The content of that hash; raises BodyDamaged when it is missing or another."""
        file = self._file(digest)
        try:
            body = zstd.decompress(file.read_bytes())
        except FileNotFoundError as error:
            raise BodyDamaged(f"{file}: the kept page is missing") from error
        except zstd.ZstdError as error:
            raise BodyDamaged(f"{file}: the kept page is damaged ({error})") from error
        except OSError as error:
            if error.errno == errno.EIO:
                raise BodyDamaged(f"{file}: the kept page cannot be read from the disk ({error.strerror})") from error
            raise self._problem("read", error) from error
        if hashlib.sha256(body).digest() != digest:
            raise BodyDamaged(f"{file}: the kept page is not the one that was kept")
        return body

    def exists(self, digest: bytes) -> bool:
        """Whether a file stands under that hash; `load` alone says whether it is good."""
        return self._file(digest).is_file()

    def sweep(self, older_than_seconds: float) -> int:
        """Remove what writers that died left unfinished; gives the number. Choose an age no live writer reaches."""
        oldest = time.time() - older_than_seconds
        removed = 0
        for file in self.folder.glob(f"??/*{_UNFINISHED}"):
            try:
                if file.stat().st_mtime < oldest:
                    file.unlink()
                    removed += 1
            except FileNotFoundError:
                continue  # finished, or swept by another, in this moment
        return removed

    def _file(self, digest: bytes) -> Path:
        name = digest.hex()
        return self.folder / name[:2] / f"{name}.zst"

    def _write(self, file: Path, content: bytes) -> None:
        unfinished = file.with_name(f"{file.stem}.{os.getpid()}.{token_hex(4)}{_UNFINISHED}")
        try:
            if not file.parent.is_dir():
                file.parent.mkdir(parents=True, exist_ok=True)
                _sync_folder(self.folder)
            try:
                with unfinished.open("xb") as stream:  # the umask decides who may read it
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                cut_point("body:part")
                unfinished.replace(file)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
            _sync_folder(file.parent)
        except OSError as error:
            raise self._problem("written", error) from error

    def _problem(self, done: str, error: OSError) -> CacheProblem:
        return CacheProblem(
            f"{self.folder}: a page cannot be {done} ({error.strerror}): make room or mend the permissions, "
            f"or set CACHE_DIR to another place; then start again, nothing is lost"
        )


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, not only the contents of its files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
