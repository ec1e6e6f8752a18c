"""How far the changes have grown, also while another process has a transaction under way."""

import threading

import pytest

from scraper.store.database import Database
from scraper.store.live_versions import count_live, newest, read_live
from scraper.store.schema import open_database
from scraper.store.tables import versions
from tests.stored_books import StoredBooks, book


@pytest.fixture
def shop(database_url: str):
    database = open_database(database_url)
    yield StoredBooks(database)
    database.close()


def test_newest_grows_with_every_change_the_end_of_a_record_too(shop: StoredBooks) -> None:
    seen = [newest(shop.database, shop.site_id, ["book"])]
    shop.put(book("a", "1"))
    seen.append(newest(shop.database, shop.site_id, ["book"]))
    shop.put(book("a", "2"))
    seen.append(newest(shop.database, shop.site_id, ["book"]))
    shop.end("a")
    seen.append(newest(shop.database, shop.site_id, ["book"]))
    assert seen[0] == 0
    assert seen == sorted(set(seen))
    assert newest(shop.database, shop.site_id, ["author"]) == 0
    assert newest(shop.database, shop.site_id, []) == 0


def test_only_live_records_are_read(shop: StoredBooks) -> None:
    shop.put(book("a", "1"), book("b", "1"), book("a", "2"))
    shop.end("b")
    with shop.database.read() as connection:
        assert [key for key, _ in read_live(connection, shop.site_id, "book")] == ["a"]
        assert count_live(connection, shop.site_id, "book") == 1


def test_newest_waits_for_a_writer_with_a_lower_number(shop: StoredBooks) -> None:
    """Its row would else appear later under a number that was already counted, and its neighbours stay stale."""
    writing, may_end, seen = threading.Event(), threading.Event(), []
    database = Database(str(shop.database.engine.url.render_as_string(hide_password=False)))

    def write() -> None:
        with database.write() as connection:
            row = shop._row(77, 1, "live", "{}", database.now(connection))
            connection.execute(versions.insert().values(**row))
            writing.set()
            may_end.wait(20)

    writer = threading.Thread(target=write)
    reader = threading.Thread(target=lambda: seen.append(newest(shop.database, shop.site_id, ["book"])))
    writer.start()
    assert writing.wait(20)
    reader.start()
    reader.join(0.5)
    assert seen == []
    may_end.set()
    for thread in (writer, reader):
        thread.join(20)
    assert seen[0] > 0
    database.close()
