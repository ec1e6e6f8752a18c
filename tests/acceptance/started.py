"""A command of the project that runs beside the test, and does not outlive it."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.command_line import Project

PATIENCE = 120.0
"""Seconds that may pass until what is waited for is true."""


@contextmanager
def started(project: Project, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start it; at the end it is killed, if it still runs."""
    process = project.start(*words)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def wait_until(true: Callable[[], bool], *workers: subprocess.Popen[str]) -> None:
    """Wait while all workers work; one that ends meanwhile fails the test with its last words."""
    until = time.monotonic() + PATIENCE
    while not true():
        for worker in workers:
            if worker.poll() is not None:
                said, _ = worker.communicate()
                raise AssertionError(f"it ended with {worker.returncode}: {said[-3000:]}")
        assert time.monotonic() < until, "nothing happens"
        time.sleep(0.005)


def ended(process: subprocess.Popen[str]) -> str:
    """Wait for its end; gives what it said."""
    said, _ = process.communicate(timeout=PATIENCE)
    return said
