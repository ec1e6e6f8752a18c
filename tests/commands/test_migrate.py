"""`scrapy migrate` brings a database to this code's schema, and leaves a newer one alone."""

import sqlite3

from tests.command_line import Project


def test_new_current_and_newer(project: Project) -> None:
    made = project.scrapy("migrate")
    assert made.code == 0, made
    assert "from nothing to " in made.out
    again = project.scrapy("migrate")
    assert again.code == 0, again
    assert "is current" in again.out
    with sqlite3.connect(project.folder / "scraper.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    newer = project.scrapy("migrate")
    assert newer.code == 1, newer
    assert newer.out == ""
    assert len(newer.err.splitlines()) == 1
    assert "newer than this code" in newer.err
