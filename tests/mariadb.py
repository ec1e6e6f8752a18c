"""A real MariaDB server of the test's own, in a temporary folder, on a free port, for as long as the tests run."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import pymysql

PATIENCE = 60.0
"""Seconds the server may take to answer; a cold, busy machine needs about ten."""


class MariaDB:
    """Debian's mariadbd as this user: `start`, then `fresh_database` as often as wanted, then `stop`."""

    def __init__(self) -> None:
        # Not under pytest's folder: the path of a socket may have 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="mdb-"))
        self.port = _free_port()
        self._numbers = count(1)
        self._server: subprocess.Popen[bytes] | None = None

    @staticmethod
    def missing() -> str | None:
        """Why there can be no server on this machine, or None."""
        for program in ("mariadbd", "mariadb-install-db"):
            if _program(program) is None:
                return f"{program} is missing: apt-get install mariadb-server"
        return None

    def start(self) -> None:
        """Make the data folder, start the server and wait until it answers."""
        data = self.folder / "data"
        user = ["--user=root"] if os.geteuid() == 0 else []
        _run(
            [
                str(_program("mariadb-install-db")),
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                *user,
            ]
        )
        self._server = subprocess.Popen(
            [
                str(_program("mariadbd")),
                "--no-defaults",
                f"--datadir={data}",
                f"--socket={self.folder / 's'}",
                f"--pid-file={self.folder / 'pid'}",
                f"--log-error={self.folder / 'log'}",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                "--skip-networking=0",
                "--skip-name-resolve",
                "--skip-log-bin",
                "--innodb-buffer-pool-size=64M",
                *user,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except pymysql.err.OperationalError as error:
                if self._server.poll() is not None or time.monotonic() > until:
                    log = (self.folder / "log").read_text() if (self.folder / "log").exists() else ""
                    raise RuntimeError(f"mariadbd does not answer: {error}\n{log[-2000:]}") from error
                time.sleep(0.1)
            else:
                return

    def execute(self, statement: str) -> None:
        """Run one statement as root."""
        with pymysql.connect(host="127.0.0.1", port=self.port, user="root", autocommit=True) as connection:
            connection.cursor().execute(statement)

    def fresh_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return f"mysql+pymysql://root@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """End the server that was started here and remove its folder."""
        if self._server is not None:
            self._server.terminate()
            try:
                self._server.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        shutil.rmtree(self.folder)


def _program(name: str) -> str | None:
    # Debian keeps servers where an ordinary user's PATH does not look.
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _run(words: list[str]) -> None:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed with {done.returncode}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
