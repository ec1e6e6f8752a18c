"""What must be true of database, cache and exports whenever no command is running: one named query for each.

`python tests/invariants.py DATABASE_URL CACHE_DIR` prints what is broken.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from scraper.errors import BodyDamaged
from scraper.store.body_store import BodyStore
from scraper.store.database import Database
from scraper.store.tables import FOREVER

SHOWN = 3
"""Rows that a broken invariant shows; all are counted."""
LEASE = 300_000_000
"""Microseconds without a heartbeat after which a live run is none."""

QUERIES = {
    "a closed crawl has no page left to do": """
        SELECT c.no, u.id, u.status FROM crawls c JOIN urls u ON u.crawl_id = c.id
        WHERE c.state IN ('finished', 'incomplete') AND u.status NOT IN ('parsed', 'error')""",
    "a page at work is held by a live run": """
        SELECT u.id, u.status, u.claimed_by FROM urls u LEFT JOIN runs r ON r.id = u.claimed_by AND r.state = 'live'
        WHERE u.status IN ('in_progress', 'fetched') AND r.id IS NULL""",
    "nobody holds a page that is not at work": """
        SELECT id, status, claimed_by FROM urls
        WHERE status IN ('parsed', 'error', 'pending') AND claimed_by IS NOT NULL""",
    "a status is one of the five": """
        SELECT id, status FROM urls WHERE status NOT IN ('parsed', 'error', 'pending', 'in_progress', 'fetched')""",
    "an error says where, which and why": """
        SELECT id, stage, reason_code FROM urls
        WHERE status = 'error' AND (stage IS NULL OR reason_code IS NULL OR reason IS NULL)""",
    "what is no error gives no reason": """
        SELECT id, status, reason_code FROM urls
        WHERE status = 'parsed' AND (stage IS NOT NULL OR reason_code IS NOT NULL OR reason IS NOT NULL)""",
    "a parsed page has been parsed": """
        SELECT id FROM urls
        WHERE status = 'parsed' AND parsed_hash IS NULL AND final_url IS NULL AND fetch_id IS NULL""",
    "a page fetched in a crawl has its answer": """
        SELECT id, fetched_crawl_id FROM urls WHERE fetched_crawl_id IS NOT NULL AND fetch_id IS NULL""",
    "a page's answer is there": """
        SELECT u.id, u.fetch_id FROM urls u LEFT JOIN fetches f ON f.id = u.fetch_id
        WHERE u.fetch_id IS NOT NULL AND f.id IS NULL""",
    "a version's answer is there": """
        SELECT v.id, v.fetch_id FROM versions v LEFT JOIN fetches f ON f.id = v.fetch_id WHERE f.id IS NULL""",
    "an answer's body is entered": """
        SELECT f.id FROM fetches f LEFT JOIN bodies b ON b.hash = f.body_hash
        WHERE f.body_hash IS NOT NULL AND b.hash IS NULL""",
    "a site has one open crawl at most": """
        SELECT site_id, COUNT(*) FROM crawls WHERE state = 'open' GROUP BY site_id HAVING COUNT(*) > 1""",
    "an open crawl is not finished": """
        SELECT no FROM crawls WHERE state = 'open' AND (finished_at IS NOT NULL OR open_key IS NULL)""",
    "a closed crawl is closed, with its figures": """
        SELECT no, state FROM crawls
        WHERE state <> 'open' AND (open_key IS NOT NULL OR figures IS NULL OR finished_at IS NULL)""",
    "no run lives on in a closed crawl": """
        SELECT r.id, r.stage FROM runs r JOIN crawls c ON c.id = r.crawl_id
        WHERE r.state = 'live' AND c.state <> 'open' AND r.beat_at < :now - :lease""",
    "a run that is over says how it came out": """
        SELECT id, state FROM runs WHERE state <> 'live' AND (outcome IS NULL OR ended_at IS NULL)""",
    "a record has one current version": """
        SELECT r.id, COUNT(v.id) FROM records r LEFT JOIN versions v ON v.record_id = r.id AND v.valid_to = :forever
        GROUP BY r.id HAVING COUNT(v.id) <> 1""",
    "a record points to its current version": """
        SELECT r.id, r.version_id FROM records r
        LEFT JOIN versions v ON v.id = r.version_id AND v.record_id = r.id AND v.valid_to = :forever
        WHERE v.id IS NULL""",
    "versions are numbered from 1 without a gap": """
        SELECT record_id, MIN(no), MAX(no), COUNT(*) FROM versions GROUP BY record_id
        HAVING MIN(no) <> 1 OR MAX(no) <> COUNT(*)""",
    "a version ends when the next begins": """
        SELECT v.id, w.id FROM versions v JOIN versions w ON w.record_id = v.record_id AND w.no = v.no + 1
        WHERE v.valid_to <> w.valid_from""",
    "a version is valid for a time": "SELECT id FROM versions WHERE valid_from >= valid_to",
    "a version differs from the one before": """
        SELECT v.id, w.id FROM versions v JOIN versions w ON w.record_id = v.record_id AND w.no = v.no + 1
        WHERE v.state = w.state AND v.data_hash = w.data_hash""",
    "a version belongs to a record": """
        SELECT v.id FROM versions v LEFT JOIN records r ON r.id = v.record_id WHERE r.id IS NULL""",
    "both ends of a link are there": """
        SELECT l.from_id, l.to_id FROM links l LEFT JOIN urls a ON a.id = l.from_id LEFT JOIN urls b ON b.id = l.to_id
        WHERE a.id IS NULL OR b.id IS NULL""",
    "both ends of a yield are there": """
        SELECT y.url_id, y.record_id FROM yields y LEFT JOIN urls u ON u.id = y.url_id
        LEFT JOIN records r ON r.id = y.record_id WHERE u.id IS NULL OR r.id IS NULL""",
    "a page has as many links as it gave": """
        SELECT u.id, u.links_out, COUNT(l.to_id) FROM urls u LEFT JOIN links l ON l.from_id = u.id
        WHERE u.status = 'parsed' GROUP BY u.id, u.links_out HAVING u.links_out <> COUNT(l.to_id)""",
    "what a parsed page links to was seen in its crawl": """
        SELECT f.id, t.id FROM links l JOIN urls f ON f.id = l.from_id JOIN urls t ON t.id = l.to_id
        WHERE f.status = 'parsed' AND t.crawl_id < f.crawl_id""",
    "a page belongs to a site, a crawl and a host of the site": """
        SELECT u.id FROM urls u LEFT JOIN sites s ON s.id = u.site_id
        LEFT JOIN crawls c ON c.id = u.crawl_id AND c.site_id = u.site_id
        LEFT JOIN site_hosts h ON h.site_id = u.site_id AND h.host_id = u.host_id
        WHERE s.id IS NULL OR c.id IS NULL OR h.host_id IS NULL""",
    "no page was fetched twice in a crawl": """
        SELECT url_id, crawl_id, COUNT(*) FROM fetches GROUP BY url_id, crawl_id HAVING COUNT(*) > 1""",
    "a page that was refused has an open drop": """
        SELECT u.id, u.reason_code FROM urls u LEFT JOIN drops d ON d.url_id = u.id AND d.cleared_at IS NULL
        WHERE u.status = 'error' AND u.reason_code IN ('parse', 'validate') AND d.id IS NULL""",
    "a parsed page has no drop open but those of its neighbours": """
        SELECT u.id, d.code FROM urls u JOIN drops d ON d.url_id = u.id AND d.cleared_at IS NULL
        WHERE u.status = 'parsed' AND d.code NOT IN ('conflict', 'page_type')""",
    "facts belong to a version, one row at a time": """
        SELECT 'enrichment', e.id FROM enrichments e LEFT JOIN versions v ON v.id = e.version_id
        WHERE v.id IS NULL OR e.made_at >= e.valid_to
        UNION ALL SELECT 'score', s.id FROM scores s LEFT JOIN versions v ON v.id = s.version_id
        WHERE v.id IS NULL OR s.made_at >= s.valid_to""",
    "a file is built by a live run": """
        SELECT e.id, e.result FROM exports e LEFT JOIN runs r ON r.id = e.run_id AND r.state = 'live'
        WHERE (e.result IN ('building', 'ready') OR e.open_key IS NOT NULL) AND r.id IS NULL""",
    "a published file says what it holds": """
        SELECT id FROM exports
        WHERE result = 'published' AND (sha256 IS NULL OR bytes IS NULL OR records IS NULL OR manifest IS NULL)""",
}
FETCHED_TWICE = "no page was fetched twice in a crawl"


def broken_invariants(database_url: str, cache_dir: Path, *, fetched_again: bool = False) -> list[str]:
    """One sentence for each invariant that is broken; empty when all hold.

    Ask only while nothing runs, and after the last start when something was killed. `fetched_again`: an operator put
    pages back into their crawl, or a kept body was lost, so a page may have been fetched twice in it.
    """
    database = Database(database_url)
    try:
        with database.read() as connection:
            known = {"now": database.now(connection), "lease": LEASE, "forever": FOREVER}
            broken = []
            for name, query in QUERIES.items():
                if fetched_again and name == FETCHED_TWICE:
                    continue
                wanted = {word: value for word, value in known.items() if f":{word}" in query}
                rows = [tuple(row) for row in connection.execute(text(query), wanted)]
                if rows:
                    broken.append(f"{name}: {len(rows)} rows, like {rows[:SHOWN]}")
            return [
                *broken,
                *_wrong_figures(connection),
                *_wrong_bodies(connection, BodyStore(cache_dir)),
                *_wrong_files(connection),
            ]
    finally:
        database.close()


def _wrong_figures(connection: Connection) -> Iterator[str]:
    """The frozen figures of a closed crawl add up, and those of the newest one count the pages that are in it."""
    newest = set(connection.execute(text("SELECT MAX(id) FROM crawls GROUP BY site_id")).scalars())
    for crawl in connection.execute(text("SELECT id, no, figures FROM crawls WHERE figures IS NOT NULL")):
        figures = json.loads(crawl.figures)
        parts = [figures, *figures["pages"].values()]
        if any(part["discovered"] != sum(part["status"].values()) for part in parts):
            yield f"the figures of crawl {crawl.no} do not add up: {crawl.figures}"
        if crawl.id not in newest:
            continue  # its pages have moved on to the next crawl
        counted: dict[str, dict[str, int]] = {}
        query = text("SELECT page_type, status, COUNT(*) FROM urls WHERE crawl_id = :crawl GROUP BY page_type, status")
        for page_type, status, count in connection.execute(query, {"crawl": crawl.id}):
            counted.setdefault(page_type, {})[status] = count
        frozen = {
            page_type: {status: count for status, count in part["status"].items() if count}
            for page_type, part in figures["pages"].items()
        }
        if counted != frozen:
            yield f"crawl {crawl.no} holds {counted}, its figures say {frozen}"


def _wrong_bodies(connection: Connection, store: BodyStore) -> Iterator[str]:
    """Each body's file holds what its hash says."""
    for row in connection.execute(text("SELECT hash, bytes FROM bodies")):
        try:
            length = len(store.load(row.hash))
        except BodyDamaged as error:
            yield f"a body is damaged: {error}"
        else:
            if length != row.bytes:
                yield f"a body of {length} bytes is entered with {row.bytes}"


def _wrong_files(connection: Connection) -> Iterator[str]:
    """The newest published export of each path: the file is that file, and holds what was known at its moment."""
    newest = "SELECT * FROM exports WHERE id IN (SELECT MAX(id) FROM exports WHERE result = 'published' GROUP BY path)"
    live = """SELECT COUNT(*) FROM versions WHERE site_id = :site AND state = 'live'
        AND valid_from <= :moment AND valid_to > :moment"""
    for row in connection.execute(text(newest)):
        file = Path(row.path)
        if row.manifest is None:
            continue  # named by a query
        if not file.is_file():
            yield f"{file} is published and not there"
            continue
        content = file.read_bytes()
        if (len(content), hashlib.sha256(content).hexdigest()) != (row.bytes, row.sha256):
            yield f"{file} is not the file that was published"
        if json.loads(row.manifest) != _said_of(file):
            yield f"{file}: its manifest is not the one that was published"
        wanted: dict[str, Any] = {"site": row.site_id, "moment": row.as_of}
        of_kind = " AND kind = :kind" if row.kind != "*" else ""
        known = connection.execute(text(live + of_kind), wanted | ({"kind": row.kind} if of_kind else {})).scalar_one()
        if known != row.records:
            yield f"{file} says {row.records} records; {known} were known at its moment"


def _said_of(file: Path) -> Any:
    manifest = file.with_name(f"{file.name}.manifest.json")
    return json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else None


def main(words: list[str]) -> None:
    url, folder = words
    print(*broken_invariants(url, Path(folder)) or ["all invariants hold"], sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
