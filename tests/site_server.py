"""Serves a folder of kept pages as the site it was, counts requests, and misbehaves where a test wants it to."""

import time
from collections import Counter
from pathlib import Path
from threading import Lock
from urllib.parse import unquote, urlsplit

from demo.server import Answer, LoopbackServer


class SiteServer(LoopbackServer):
    """A site on loopback: `with SiteServer(folder) as site: ... site.url`.

    `requests` counts the paths asked for, `asked` lists them in order. `delay` is what every answer waits, in seconds.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(self._answer, port)
        self.folder = folder
        self.requests: Counter[str] = Counter()
        self.asked: list[str] = []
        self.delay = 0.0
        self._delays: dict[str, float] = {}
        self._overrides: dict[str, list[bytes | int | Answer]] = {}
        self._lock = Lock()

    def override(self, path: str, *answers: bytes | int | Answer, delay: float = 0.0) -> None:
        """Answer `path` with these, in turn, the last one for ever: a body, a status, or a whole Answer.

        Without answers the page stays as it is and only waits.
        """
        with self._lock:
            self._overrides[path] = list(answers)
            self._delays[path] = delay

    def restore(self, path: str) -> None:
        """Answer `path` with the kept page again."""
        with self._lock:
            self._overrides.pop(path, None)
            self._delays.pop(path, None)

    def forget(self) -> None:
        """Count from zero."""
        with self._lock:
            self.requests.clear()
            self.asked.clear()

    def file_of(self, path: str) -> Path:
        """The kept page behind a path; `/` and other folders mean their index.html."""
        name = unquote(urlsplit(path).path).lstrip("/")
        return self.folder / (f"{name}index.html" if not name or name.endswith("/") else name)

    def _answer(self, path: str) -> Answer:
        with self._lock:
            self.requests[path] += 1
            self.asked.append(path)
            answers = self._overrides.get(path)
            said = answers.pop(0) if answers and len(answers) > 1 else answers[0] if answers else None
            delay = self.delay + self._delays.get(path, 0.0)
        if delay:
            time.sleep(delay)
        match said:
            case Answer():
                return said
            case bytes():
                return Answer(said)
            case int():
                return Answer(f"<h1>{said}</h1>".encode(), said)
        file = self.file_of(path)
        if not file.is_file():
            return Answer(b"<h1>404 Not Found</h1>", 404)
        return Answer(file.read_bytes())

    def __enter__(self) -> "SiteServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
