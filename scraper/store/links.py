"""Speaks to `links`, and puts a page's links into the queue: new ones inserted, known ones seen again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, bindparam, delete, select, update

from scraper.store.chunks import chunks
from scraper.store.database import Database
from scraper.store.sites import host_ids
from scraper.store.tables import links, urls
from scraper.store.urls import NewUrl
from scraper.store.visit import CrawlRules, KnownUrl, seen_again
from scraper.store.yields import see_records_of

_KNOWN = [urls.c[name] for name in KnownUrl.__dataclass_fields__]


@dataclass
class Put:
    """What became of addresses that were put."""

    known: dict[bytes, KnownUrl] = field(default_factory=dict)
    """Every address by identity, as it stands after the put."""
    new: int = 0
    """Rows inserted."""
    visit: int = 0
    """Known rows that were put back into the queue."""
    fresh: list[int] = field(default_factory=list)
    """Known rows whose kept page is believed in this crawl."""


def known_by_fp(connection: Connection, site_id: int, fps: Iterable[bytes]) -> dict[bytes, KnownUrl]:
    """The rows of these identities."""
    found: dict[bytes, KnownUrl] = {}
    for piece in chunks(sorted(set(fps))):
        rows = connection.execute(select(*_KNOWN).where(urls.c.site_id == site_id, urls.c.fp.in_(piece))).mappings()
        found.update((row["fp"], KnownUrl(**row)) for row in rows)
    return found


def stored_targets(connection: Connection, from_ids: Iterable[int], crawl_id: int) -> list[KnownUrl]:
    """The rows that these pages linked to at their last parse and that were not seen in the crawl yet."""
    found: list[KnownUrl] = []
    for piece in chunks(sorted(from_ids)):
        query = select(*_KNOWN).join(links, links.c.to_id == urls.c.id)
        rows = connection.execute(query.where(links.c.from_id.in_(piece), urls.c.crawl_id < crawl_id)).mappings()
        found.extend(KnownUrl(**row) for row in rows)
    return found


def put(
    database: Database,
    connection: Connection,
    rules: CrawlRules,
    wanted: Iterable[tuple[NewUrl, int | None]],
    before: Mapping[bytes, KnownUrl],
    own: Iterable[int] = (),
) -> Put:
    """Put addresses, each with the row it was found on, into the crawl.

    `before` are the known rows as read before any lock was taken: inserting only what is missing, sorted, is what keeps
    workers whose pages link to each other out of deadlocks. `own` rows are ended by the caller and left alone here.
    """
    first: dict[bytes, tuple[NewUrl, int | None]] = {}
    for link, parent in wanted:
        first.setdefault(link.fp, (link, parent))
    result = Put(known=dict(before))
    mine = set(own)
    again = [row for fp, row in before.items() if fp in first and row.crawl_id < rules.crawl_id and row.id not in mine]
    see(connection, rules, again, first, result)
    if missing := sorted(first.keys() - before.keys()):
        _insert(database, connection, rules, [first[fp] for fp in missing])
        result.known.update(known_by_fp(connection, rules.site_id, missing))
        result.new += len(missing)
    return result


def see(
    connection: Connection,
    rules: CrawlRules,
    rows: Iterable[KnownUrl],
    asked: Mapping[bytes, tuple[NewUrl, int | None]],
    result: Put,
) -> None:
    """Move rows of earlier crawls into this one, each as the rule says; `asked` holds the link that showed a row."""
    visit: list[dict[str, object]] = []
    stay: list[dict[str, object]] = []
    for row in sorted({row.id: row for row in rows}.values(), key=lambda row: row.id):
        match seen_again(rules, row):
            case "visit":
                change: dict[str, object] = {"row": row.id, "due": 0}
                if row.fp in asked:
                    link, parent = asked[row.fp]
                    result.known[row.fp] = replace(row, page_type=link.page_type)
                    change |= {
                        "due": -link.priority,
                        "page_type": link.page_type,
                        "request": link.request,
                        "context": link.context,
                        "discovered_from": parent,
                    }
                visit.append(change)
            case "fresh":
                stay.append({"row": row.id})
                result.fresh.append(row.id)
            case "settled":
                stay.append({"row": row.id})
    here = update(urls).where(urls.c.id == bindparam("row"), urls.c.crawl_id != rules.crawl_id)
    back = {"crawl_id": rules.crawl_id, "status": "pending", "claimed_by": None, "attempts": 0, "strikes": 0}
    back |= {"stage": None, "reason": None, "reason_code": None}
    for with_link in (True, False):
        names = ["due", *(["page_type", "request", "context", "discovered_from"] if with_link else [])]
        if some := [change for change in visit if ("page_type" in change) is with_link]:
            changed = here.values(**back, **{name: bindparam(f"new_{name}") for name in names})
            rows_ = [{"row": c["row"], **{f"new_{name}": c[name] for name in names}} for c in some]
            connection.execute(changed, rows_)
    if stay:
        connection.execute(here.values(crawl_id=rules.crawl_id), stay)
    result.visit += len(visit)


def see_fresh(database: Database, connection: Connection, rules: CrawlRules, placed: Put) -> None:
    """Say of put addresses whose kept page is believed that their records were seen in the crawl."""
    see_records_of(connection, placed.fresh, rules.crawl_id, database.now(connection))


def _insert(
    database: Database, connection: Connection, rules: CrawlRules, new: list[tuple[NewUrl, int | None]]
) -> None:
    now = database.now(connection)
    hosts = host_ids(database, connection, rules.site_id, (link.authority for link, _ in new))
    rows = [
        {
            "site_id": rules.site_id,
            "fp": link.fp,
            "crawl_id": rules.crawl_id,
            "host_id": hosts[link.authority],
            "page_type": link.page_type,
            "url": link.url,
            "request": link.request,
            "context": link.context,
            "generation": link.generation,
            "depth": link.depth,
            "discovered_from": parent,
            "due": -link.priority,
            "status": "error" if link.refusal else "pending",
            "stage": "scope" if link.refusal else None,
            "reason_code": "link" if link.refusal else None,
            "reason": link.refusal,
            "created_at": now,
        }
        for link, parent in new
    ]
    for piece in chunks(rows):
        connection.execute(database.dialect.insert_missing(urls), piece)


def replace_links(database: Database, connection: Connection, wanted: Mapping[int, set[int]]) -> None:
    """Make these the links of their pages, by difference."""
    held: dict[int, set[int]] = {page: set() for page in wanted}
    for piece in chunks(sorted(wanted)):
        for page, target in connection.execute(
            select(links.c.from_id, links.c.to_id).where(links.c.from_id.in_(piece))
        ):
            held[page].add(target)
    new = [
        {"from_id": page, "to_id": target}
        for page, targets in sorted(wanted.items())
        for target in sorted(targets - held[page])
    ]
    for batch in chunks(new):
        connection.execute(database.dialect.insert_missing(links), batch)
    for page, targets in sorted(wanted.items()):
        for old in chunks(sorted(held[page] - targets)):
            connection.execute(delete(links).where(links.c.from_id == page, links.c.to_id.in_(old)))
