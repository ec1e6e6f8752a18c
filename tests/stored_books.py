"""A database with books in it, as crawls would have left it, for the stages that only read what is stored."""

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path

from sqlalchemy import select, update

from scraper.store.canonical import canonical, digest
from scraper.store.database import Database
from scraper.store.sites import site_id_of
from scraper.store.tables import FOREVER, enrichments, records, scores, versions
from spiders.books.models import Book

STARS = {"One": 1, "Two": 2, "Three": 3, "Four": 4, "Five": 5}


def book(upc: str, price: str, category: str = "Poetry", **others: object) -> Book:
    """A book of which only these fields matter."""
    fields = {
        "title": f"Title {upc}",
        "currency": "GBP",
        "stock": 3,
        "rating": 4,
        "description": "Words.",
        "reviews": 0,
        "url": f"https://books.toscrape.com/catalogue/{upc}/index.html",
        **others,
    }
    return Book(upc=upc, price=Decimal(price), category=category, **fields)


class StoredBooks:
    """Puts books into a database: a new record, a new version of a known one, or its end."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.write() as connection:
            self.site_id = site_id_of(database, connection, "books")

    def put(self, *books: Book) -> None:
        """Each as the current version of its record."""
        for one in books:
            self._version(one.upc, canonical(one.model_dump(mode="python")))

    def fill(self, books: Iterable[Book]) -> None:
        """Many new ones in one transaction."""
        with self.database.write() as connection:
            for number, one in enumerate(books, 1):
                data = canonical(one.model_dump(mode="python"))
                connection.execute(records.insert().values(id=number, **self._record(one.upc, number)))
                connection.execute(versions.insert().values(id=number, **self._row(number, 1, "live", data, number)))

    def end(self, upc: str) -> None:
        """The record is gone."""
        self._version(upc, None)

    def _version(self, upc: str, data: str | None) -> None:
        with self.database.write() as connection:
            now = self.database.now(connection)
            found = connection.execute(select(records).where(records.c.key == upc)).mappings().first()
            no = 1
            if found is None:
                inserted = connection.execute(records.insert().values(**self._record(upc, 0)))
                record_id = inserted.inserted_primary_key[0]
            else:
                record_id = found["id"]
                no = (
                    connection.execute(select(versions.c.no).where(versions.c.id == found["version_id"])).scalar_one()
                    + 1
                )
                connection.execute(update(versions).where(versions.c.id == found["version_id"]).values(valid_to=now))
            row = self._row(record_id, no, "live" if data else "gone", data, now)
            version_id = connection.execute(versions.insert().values(**row)).inserted_primary_key[0]
            connection.execute(update(records).where(records.c.id == record_id).values(version_id=version_id))

    def _record(self, upc: str, version_id: int) -> dict[str, object]:
        return {
            "site_id": self.site_id,
            "kind": "book",
            "key_hash": digest(upc),
            "key": upc,
            "version_id": version_id,
            "owner_url_id": 1,
            "first_seen": 1,
            "last_seen": 1,
            "last_crawl_id": 1,
        }

    def _row(self, record_id: int, no: int, state: str, data: str | None, valid_from: int) -> dict[str, object]:
        return {
            "record_id": record_id,
            "site_id": self.site_id,
            "kind": "book",
            "no": no,
            "state": state,
            "cause": "new" if no == 1 else "changed",
            "data": data,
            "data_hash": digest(data or ""),
            "schema_version": "0" * 16,
            "parser_version": "0" * 16,
            "code_version": "0" * 40,
            "url_id": 1,
            "fetch_id": 1,
            "crawl_id": 1,
            "run_id": 1,
            "valid_from": valid_from,
            "valid_to": FOREVER,
        }

    def rows(self, table: object) -> list[dict[str, object]]:
        """All rows of `enrichments` or `scores` with their book's UPC, in the order they were made."""
        query = (
            select(records.c.key.label("upc"), table)
            .join(versions, versions.c.id == table.c.version_id)
            .join(records, records.c.id == versions.c.record_id)
            .order_by(table.c.id)
        )
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def current(self, table: object) -> dict[str, dict[str, object]]:
        """The rows of today's versions that are valid, by UPC."""
        with self.database.read() as connection:
            today = set(connection.execute(select(versions.c.id).where(versions.c.valid_to == FOREVER)).scalars())
        rows = [row for row in self.rows(table) if row["valid_to"] == FOREVER and row["version_id"] in today]
        assert len({row["upc"] for row in rows}) == len(rows)
        return {row["upc"]: row for row in rows}

    def contents(self) -> dict[str, object]:
        """What is known of each book, without numbers and times: equal for a killed and an undisturbed stage."""
        facts = {upc: (row["rule_version"], row["data"]) for upc, row in self.current(enrichments).items()}
        judged = {upc: (row["rule_version"], row["value"], row["reasons"]) for upc, row in self.current(scores).items()}
        return {"enrichments": facts, "scores": judged, "rows": len(self.rows(enrichments)) + len(self.rows(scores))}


def true_books(shared: Path) -> Iterator[Book]:
    """The 1,000 books of the kept table, with the categories of our own crawl."""
    with (shared / "sites/books-truth/products.crawled.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield book(
                row["upc"],
                row["price"].lstrip("£"),
                row["category"],
                title=row["title"],
                stock=int(re.findall(r"\d+", row["stock"])[0]),
                rating=STARS[row["rating"].split()[-1]],
                description="Words." if row["desc"] else None,
            )
