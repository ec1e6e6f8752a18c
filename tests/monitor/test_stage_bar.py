"""The bar is seen at a terminal and nowhere else."""

import io

from rich.console import Console

from scraper.monitor.stage_bar import StageBar


def shown(terminal: bool) -> str:
    written = io.StringIO()
    with StageBar(Console(file=written, force_terminal=terminal, width=100)) as bar:
        bar("category_price", 500, 1000)
        bar("category_price", 1000, 1000)
        bar("value", 0, 0)
    return written.getvalue()


def test_at_a_terminal_it_counts() -> None:
    assert "category_price" in shown(terminal=True)
    assert "1000/1000" in shown(terminal=True)


def test_in_a_pipe_it_is_silent() -> None:
    assert shown(terminal=False).strip() == ""
