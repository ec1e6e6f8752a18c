"""Where the demo keeps its things: everything under `var/demo/`, never in the default database."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from scraper.settings import PROJECT_DIR

PORT = 8642
"""The usual port. A fixed one, because a database remembers which base its pages came from."""


def folder_of(port: int) -> Path:
    """The demo's folder for the port its shop is served on: another port is another base, so it has its own."""
    demo = PROJECT_DIR / "var" / "demo"
    return demo if port == PORT else demo / f"port-{port}"


@dataclass(frozen=True)
class Places:
    """The database, the cache and the finished files of one demo."""

    folder: Path
    """Where all three are."""

    @property
    def exports(self) -> Path:
        """Where the finished files go."""
        return self.folder / "exports"

    @property
    def env(self) -> dict[str, str]:
        """What the commands are told of it."""
        database = URL.create("sqlite", database=str(self.folder / "scraper.sqlite"))
        return {
            "DATABASE_URL": database.render_as_string(),
            "CACHE_DIR": str(self.folder / "cache"),
            "EXPORT_DIR": str(self.exports),
        }
