"""An older database is brought to this code's schema; every other command refuses it until then."""

import shutil
from pathlib import Path

import pytest

from scraper.errors import DatabaseProblem
from scraper.store import schema
from scraper.store.migration import bring_up_to_date
from scraper.store.schema import open_database

NEXT = '''"""One more."""
from alembic import op

revision, down_revision = "9000", "{before}"


def upgrade() -> None:
    op.execute("CREATE TABLE one_more (id INTEGER)")
'''


def test_older(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bring_up_to_date(database_url)
    assert made.before is None
    shutil.copytree(Path(schema.__file__).parent / "migrations", tmp_path / "migrations")
    (tmp_path / "migrations/versions/9000_one_more.py").write_text(NEXT.format(before=made.after))
    monkeypatch.setattr(schema, "files", lambda _package: tmp_path)  # the code of tomorrow
    with pytest.raises(DatabaseProblem, match="older than this code; run: scrapy migrate"):
        open_database(database_url)
    done = bring_up_to_date(database_url)
    assert (done.before, done.after) == (made.after, "9000")
    assert f"from {made.after} to 9000" in done.line()
    assert "is current" in bring_up_to_date(database_url).line()
    open_database(database_url).close()
