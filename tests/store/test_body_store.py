"""Bodies on disk: whole or not at all, checked on reading, with the disk full or the writer killed."""

import hashlib
import os
import random
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scraper.errors import BodyDamaged, CacheProblem
from scraper.settings import PROJECT_DIR
from scraper.store.body_store import BodyStore, KeptBody

BODY = b"<html><title>ok</title></html>" * 100


@pytest.fixture
def store(tmp_path: Path) -> BodyStore:
    return BodyStore(tmp_path / "cache")


def files(store: BodyStore) -> list[Path]:
    return sorted(path for path in store.folder.rglob("*") if path.is_file())


def run(code: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=PROJECT_DIR,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("body", [BODY, b"", b"\x00", random.Random(1).randbytes(100_000)])
def test_what_is_kept_is_given_back(store: BodyStore, body: bytes) -> None:
    kept = store.keep(body)
    [file] = files(store)
    assert kept == KeptBody(hashlib.sha256(body).digest(), len(body), file.stat().st_size)
    assert file.relative_to(store.folder) == Path(kept.hash.hex()[:2], f"{kept.hash.hex()}.zst")
    assert store.load(kept.hash) == body
    assert store.exists(kept.hash)


def test_it_is_compressed(store: BodyStore) -> None:
    assert store.keep(BODY).stored_bytes < len(BODY) / 10


def test_the_same_body_is_written_once(store: BodyStore) -> None:
    kept = store.keep(BODY)
    [before] = files(store)
    written = before.stat()
    assert store.keep(BODY) == kept
    [after] = files(store)
    assert (after.stat().st_ino, after.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)


def test_the_umask_decides_who_may_read(store: BodyStore) -> None:
    old = os.umask(0o027)
    try:
        store.keep(BODY)
    finally:
        os.umask(old)
    [file] = files(store)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_missing_body(store: BodyStore) -> None:
    kept = store.keep(BODY)
    files(store)[0].unlink()
    assert not store.exists(kept.hash)
    with pytest.raises(BodyDamaged, match=r"\.zst: the kept page is missing"):
        store.load(kept.hash)


def test_a_damaged_body_is_seen_and_written_again(store: BodyStore) -> None:
    kept = store.keep(BODY)
    [file] = files(store)
    good = file.read_bytes()
    other = BodyStore(store.folder.parent / "other")
    other.keep(b"another page")
    for damage in (b"", good[:-1], good[:10], b"junk", bytes([good[0] ^ 1]) + good[1:], files(other)[0].read_bytes()):
        file.write_bytes(damage)
        with pytest.raises(BodyDamaged, match="the kept page is "):
            store.load(kept.hash)
        assert store.keep(BODY) == kept
        assert store.load(kept.hash) == BODY
    assert files(store) == [file]


def test_many_writers_of_the_same_bodies(store: BodyStore) -> None:
    bodies = [BODY + bytes([number % 10]) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        kept = list(threads.map(store.keep, bodies))
    assert [store.load(one.hash) for one in kept] == bodies
    assert len(files(store)) == 10


WRITER = """
import os, random, sys
from pathlib import Path
from scraper.store.body_store import BodyStore
store = BodyStore(Path(sys.argv[1]))
print("ready", flush=True)
chance = random.Random(os.getpid())
while True:
    store.keep(chance.randbytes(3_000_000))
"""


def test_a_killed_writer_leaves_no_short_body(store: BodyStore) -> None:
    unfinished = 0
    for attempt in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store.folder)], cwd=PROJECT_DIR, stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(0.1 + attempt * 0.007)
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        for file in files(store):
            if file.suffix == ".zst":
                store.load(bytes.fromhex(file.stem))
                file.unlink()
        unfinished = len(files(store))
    assert unfinished > 0, "no kill met a write: the test shows nothing"
    assert store.sweep(older_than_seconds=3600) == 0
    assert store.sweep(older_than_seconds=-1) == unfinished
    assert files(store) == []


def test_the_cut_point_stands_behind_the_rename(store: BodyStore) -> None:
    code = "import sys; from pathlib import Path; from scraper.store.body_store import BodyStore as B; "
    done = run(f"{code}B(Path(sys.argv[1])).keep(b'page')", store.folder, SCRAPER_CUT_POINT="body:written")
    assert done.returncode == -signal.SIGKILL
    assert store.load(hashlib.sha256(b"page").digest()) == b"page"


def test_a_sweep_leaves_finished_bodies(store: BodyStore) -> None:
    kept = store.keep(BODY)
    assert store.sweep(older_than_seconds=-1) == 0
    assert store.load(kept.hash) == BODY


FULL = """
import resource, sys
from pathlib import Path
from scraper.errors import ScraperError
from scraper.store.body_store import BodyStore
store = BodyStore(Path(sys.argv[1]))
store.keep(b"small")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    store.keep(__import__("random").randbytes(100_000))
except ScraperError as error:
    print(error)
"""


def test_no_room_is_one_line_and_leaves_nothing(store: BodyStore) -> None:
    """The system refuses the write in its middle (a limit on the size of files stands for a full disk)."""
    done = run(FULL, store.folder)
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    assert line.startswith(f"{store.folder}: a page cannot be written (File too large): make room")
    assert [file.suffix for file in files(store)] == [".zst"]
    assert store.load(hashlib.sha256(b"small").digest()) == b"small"


def test_a_file_where_the_folder_must_be_is_one_line(tmp_path: Path) -> None:
    store = BodyStore(tmp_path / "cache")
    store.folder.write_text("a file, no folder")
    with pytest.raises(CacheProblem, match=r"cache: a page cannot be .* \(Not a directory\)"):
        store.keep(BODY)
