"""A small shop with two kinds of record, and a database that holds it as crawls would have left it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import update

from scraper.models import Link, Page, Record
from scraper.sites import PageType, Promises, Site
from scraper.store.canonical import canonical, digest
from scraper.store.clock import to_micros
from scraper.store.database import Database
from scraper.store.sites import site_id_of
from scraper.store.tables import FOREVER, crawls, enrichments, fetches, records, runs, scores, urls, versions


class Product(Record):
    """What the shop sells."""

    key = ("sku",)

    sku: str
    title: str
    price: Decimal
    stock: int
    since: date | None = None
    tags: list[str] = Field(default_factory=list)


class Branch(Record):
    """Where it sells it."""

    key = ("city",)

    city: str
    opened: datetime | None = None


class Margin(BaseModel):
    """What the enricher adds."""

    median: Decimal
    stock: int


@dataclass(frozen=True)
class Enricher:
    """As much of an enricher as an export needs."""

    name: str = "margin"
    kind: str = "product"
    output: type[BaseModel] = Margin


@dataclass(frozen=True)
class Scorecard:
    """As much of a scorecard as an export needs."""

    name: str = "value"
    kind: str = "product"


def parse(page: Page) -> Iterator[Product | Branch | Link]:
    """Only its annotation counts here: it says which kinds there are."""
    yield from ()


def site(**promises: Any) -> Site:
    """The card of the shop."""
    return Site(
        name="shop",
        origin="http://shop.example/",
        pages={"page": PageType(parser="tests.export.shop", refresh="never")},
        promises=Promises(**promises),
    )


def at(hour: int, minute: int = 0) -> datetime:
    """A moment of the day on which all of this happened."""
    return datetime(2024, 5, 1, hour, minute, tzinfo=UTC)


class StoredShop:
    """Puts things into the database; hours are those of one day."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.write() as connection:
            self.site_id = site_id_of(database, connection, "shop")

    def insert(self, table: Any, **values: Any) -> int:
        with self.database.write() as connection:
            inserted = connection.execute(table.insert().values(**values))
            return int(inserted.inserted_primary_key[0])

    def crawl(self, state: str = "finished", no: int = 1) -> int:
        return self.insert(
            crawls,
            site_id=self.site_id,
            no=no,
            state=state,
            open_key=self.site_id if state == "open" else None,
            started_at=to_micros(at(1)),
            finished_at=None if state == "open" else to_micros(at(2)),
            code_version="1",
            figures=None if state == "open" else '{"pages":{},"records_seen":{}}',
        )

    def run(self, state: str = "live") -> int:
        moment = to_micros(at(1))
        return self.insert(
            runs,
            site_id=self.site_id,
            stage="export",
            state=state,
            machine="here",
            pid=1,
            pid_started=1,
            beat_at=moment,
            started_at=moment,
            code_version="1",
        )

    def lose(self, run_id: int) -> None:
        """What recovery does once it finds the process gone."""
        with self.database.write() as connection:
            connection.execute(update(runs).where(runs.c.id == run_id).values(state="lost"))

    def put(self, record: Record, hour: int = 2, fetched: int | None = None, crawl: int = 1) -> int:
        """A new record, or the next version of a known one; gives the version's number."""
        data = canonical(record.model_dump())
        key = canonical([getattr(record, name) for name in record.key])
        moment = to_micros(at(hour))
        fetch_id = self.insert(
            fetches,
            url_id=1,
            crawl_id=1,
            run_id=1,
            at=to_micros(at(fetched or hour)),
            http_status=200,
            headers="{}",
            bytes=1,
            tier="plain",
            seconds=0.1,
        )
        with self.database.write() as connection:
            known = connection.execute(
                records.select().where(records.c.kind == record.kind, records.c.key_hash == digest(key))
            ).first()
            if known:
                connection.execute(
                    update(versions)
                    .where(versions.c.record_id == known.id, versions.c.valid_to == FOREVER)
                    .values(valid_to=moment)
                )
        record_id = (
            known.id
            if known
            else self.insert(
                records,
                site_id=self.site_id,
                kind=record.kind,
                key_hash=digest(key),
                key=key,
                version_id=0,
                owner_url_id=1,
                first_seen=moment,
                last_seen=moment,
                last_crawl_id=crawl,
            )
        )
        return self.insert(
            versions,
            record_id=record_id,
            site_id=self.site_id,
            kind=record.kind,
            no=moment,
            state="live",
            cause="new",
            data=data,
            data_hash=digest(data),
            schema_version="0" * 16,
            parser_version="0" * 16,
            code_version="1",
            url_id=1,
            fetch_id=fetch_id,
            crawl_id=1,
            run_id=1,
            valid_from=moment,
        )

    def fact(self, version_id: int, hour: int = 3, **data: Any) -> None:
        self.insert(
            enrichments,
            version_id=version_id,
            name="margin",
            rule_version="1",
            data=canonical(data),
            made_at=to_micros(at(hour)),
        )

    def score(self, version_id: int, value: float, *reasons: str, hour: int = 3) -> None:
        self.insert(
            scores,
            version_id=version_id,
            name="value",
            rule_version="1",
            value=value,
            reasons=canonical(reasons),
            made_at=to_micros(at(hour)),
        )

    def url(self, crawl_id: int, number: int, status: str = "parsed", code: str | None = None) -> None:
        self.insert(
            urls,
            site_id=self.site_id,
            fp=number.to_bytes(20, "big"),
            crawl_id=crawl_id,
            host_id=1,
            page_type="page",
            url=f"http://shop.example/{number}",
            status=status,
            reason_code=code,
            created_at=1,
        )


def product(sku: str, price: str = "51.77", **others: Any) -> Product:
    """A product of which only these fields matter."""
    return Product(sku=sku, price=Decimal(price), **{"title": f"Title {sku}", "stock": 3, **others})
