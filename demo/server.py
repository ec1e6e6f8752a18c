"""A web server on loopback whose answers come from one function; the demo shop and the tests stand behind it."""

import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server says to one request."""

    body: bytes = b""
    """The content; empty for a HEAD request whatever stands here."""
    status: int = 200
    """The HTTP status."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """More headers. A `Content-Length` given here is sent as it is, so a body can be cut short."""


class LoopbackServer:
    """Serves on 127.0.0.1 in threads, from `start` to `stop`, and may start again on the same port."""

    def __init__(self, answer: Callable[[str], Answer], port: int = 0) -> None:
        self.answer = answer
        self.port = port
        self._http: _Threads | None = None
        self._thread: Thread | None = None

    @property
    def url(self) -> str:
        """The address of the site's root, with a slash at the end."""
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Listen; port 0 takes a free one and keeps it. Raises OSError when the port is busy."""
        self._http = _Threads(("127.0.0.1", self.port), self.answer)
        self.port = self._http.server_port
        # The default poll of half a second would make every stop wait as long.
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Refuse connections from now on and cut those that are open."""
        if self._http is None or self._thread is None:
            return
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        self._http = self._thread = None


class _Threads(ThreadingHTTPServer):
    """One thread a connection, each of which can be cut from outside."""

    daemon_threads = False  # so that server_close waits for them, and no socket is left open
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], answer: Callable[[str], Answer]) -> None:
        self.answer = answer
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        super().__init__(address, _Handler)  # last: it binds, and when that fails it closes

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        with self._lock:
            for one in self._open:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the client was faster
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle is not this server's fault; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Asks the server's function; keeps the connection alive."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave in one packet: two would wait 40 ms for each other
    server: _Threads

    def do_GET(self) -> None:
        answer = self.server.answer(self.path)
        headers = {"Content-Type": "text/html", "Content-Length": str(len(answer.body)), **answer.headers}
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        if headers["Content-Length"] != str(len(answer.body)):
            self.close_connection = True

    do_HEAD = do_GET  # noqa: N815 - the name is http.server's

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
        """Say nothing: the crawl's own lines are what is to be seen."""
