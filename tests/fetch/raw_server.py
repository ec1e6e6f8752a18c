"""A server on loopback that sends the very bytes a test gives it, then closes; it counts what is under way at once."""

import socketserver
import time
from collections import Counter
from collections.abc import Callable
from threading import Lock, Thread


def answer(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A whole answer; `length` is what it announces, none at all when -1."""
    announced = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", "Connection: close", *headers]
    if announced >= 0:
        lines.append(f"Content-Length: {announced}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class RawServer:
    """`with RawServer(answer_for) as server: ... server.url`; `answer_for(path)` gives the bytes to send."""

    def __init__(self, answer_for: Callable[[str], bytes], seconds: float = 0.0) -> None:
        self.answer_for = answer_for
        self.seconds = seconds
        self.asked: Counter[str] = Counter()
        self.times: list[float] = []
        self.hosts: set[str] = set()
        self.most_at_once = 0
        self._now = 0
        self._lock = Lock()
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                path = self.rfile.readline().split(b" ")[1].decode()
                while (line := self.rfile.readline()).strip():
                    if line.lower().startswith(b"host:"):
                        outer.hosts.add(line.split(b":", 1)[1].strip().decode())
                outer._serve(path, self.wfile.write)

        self._tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._tcp.server_address[1]}/"

    def _serve(self, path: str, send: Callable[[bytes], object]) -> None:
        with self._lock:
            self.asked[path] += 1
            self.times.append(time.monotonic())
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        time.sleep(self.seconds)
        with self._lock:
            self._now -= 1
        send(self.answer_for(path))

    def __enter__(self) -> "RawServer":
        self._thread = Thread(target=self._tcp.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tcp.shutdown()
        self._thread.join()
        self._tcp.server_close()
