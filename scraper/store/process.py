"""Which process on which machine a run is, so that a dead one is known at once and a reused pid deceives nobody."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process, told apart from every other one, past or present."""

    machine: str
    """Host name, boot and pid namespace: pids mean the same only where all three are equal."""
    pid: int
    """The process id."""
    started: int
    """When it started, in clock ticks since boot; 0 where the system does not tell."""


def this_process() -> Process:
    """The process that asks."""
    pid = os.getpid()
    return Process(this_machine(), pid, started_at(pid) or 0)


def this_machine() -> str:
    """Host name, boot id and pid namespace, at most 80 ASCII characters."""
    boot = _read("/proc/sys/kernel/random/boot_id")[:8]
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        namespace = ""  # no such thing on this system
    host = platform.node().encode("ascii", "replace").decode()[:56]
    return f"{host}|{boot}|{namespace}"


def is_gone(process: Process) -> bool:
    """Whether the process is surely dead: it ran on this machine and no process has its pid and start any more."""
    if process.machine != this_machine():
        return False
    if process.started:
        return started_at(process.pid) != process.started
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def started_at(pid: int) -> int | None:
    """Clock ticks after boot at which `pid` started (proc(5), field 22); None when there is no such process.

    A zombie is no process any more: it does nothing and only waits for its parent.
    """
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 and fields[0] not in ("Z", "X") else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""  # the process ended, or the system has no /proc
