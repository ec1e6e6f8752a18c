"""A progress bar for a stage at a terminal; in a pipe or under cron it shows nothing."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class StageBar:
    """A line for each rule while it lasts; on standard error, so that the answer alone is on standard output."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    @property
    def shown(self) -> bool:
        """Whether there is a terminal to show it at."""
        return self._console.is_terminal

    def __enter__(self) -> StageBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, rule: str, done: int, due: int) -> None:
        """The rule has judged `done` of `due` records."""
        if rule not in self._tasks:
            self._tasks[rule] = self._progress.add_task(rule)
        self._progress.update(self._tasks[rule], completed=done, total=max(due, done))
