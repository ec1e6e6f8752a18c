"""Each invariant is broken by what it is there to find; a query that finds nothing would let every test pass."""

import shutil
import sqlite3
from pathlib import Path

from sqlalchemy.engine import make_url

from tests.acceptance.books_run import run_books
from tests.invariants import FETCHED_TWICE, QUERIES, broken_invariants
from tests.site_copy import CopiedProject
from tests.site_server import SiteServer

PAGE = "(SELECT MAX(id) FROM urls)"
RECORD = "(SELECT MAX(id) FROM records)"
NEXT_VERSION = f"""
    UPDATE versions SET valid_to = valid_from + 1 WHERE record_id = {RECORD};
    INSERT INTO versions (record_id, site_id, kind, no, state, cause, data, data_hash, schema_version, parser_version,
        code_version, url_id, fetch_id, crawl_id, run_id, valid_from, valid_to)
    SELECT record_id, site_id, kind, 2, state, cause, data, data_hash, schema_version, parser_version,
        code_version, url_id, fetch_id, crawl_id, run_id, valid_to{{later}}, 9223372036854775807
    FROM versions WHERE record_id = {RECORD};"""

DAMAGE = {
    "a closed crawl has no page left to do": f"UPDATE urls SET status = 'pending' WHERE id = {PAGE}",
    "a page at work is held by a live run": f"UPDATE urls SET status = 'fetched', claimed_by = 1 WHERE id = {PAGE}",
    "nobody holds a page that is not at work": f"UPDATE urls SET claimed_by = 1 WHERE id = {PAGE}",
    "a status is one of the five": f"UPDATE urls SET status = 'done' WHERE id = {PAGE}",
    "an error says where, which and why": f"UPDATE urls SET status = 'error', stage = 'fetch' WHERE id = {PAGE}",
    "what is no error gives no reason": f"UPDATE urls SET reason = 'HTTP 500' WHERE id = {PAGE}",
    "a parsed page has been parsed": f"UPDATE urls SET parsed_hash = NULL, fetch_id = NULL WHERE id = {PAGE}",
    "a page fetched in a crawl has its answer": f"UPDATE urls SET fetch_id = NULL WHERE id = {PAGE}",
    "a page's answer is there": "DELETE FROM fetches WHERE id = (SELECT MAX(id) FROM fetches)",
    "a version's answer is there": f"UPDATE versions SET fetch_id = 999999 WHERE record_id = {RECORD}",
    "an answer's body is entered": "DELETE FROM bodies",
    "a site has one open crawl at most": """
        UPDATE crawls SET state = 'open';
        INSERT INTO crawls (site_id, no, state, started_at, code_version) VALUES (1, 2, 'open', 1, '1')""",
    "an open crawl is not finished": "UPDATE crawls SET state = 'open', open_key = site_id",
    "a closed crawl is closed, with its figures": "UPDATE crawls SET figures = NULL",
    "no run lives on in a closed crawl": "UPDATE runs SET state = 'live', beat_at = 1",
    "a run that is over says how it came out": "UPDATE runs SET outcome = NULL",
    "a record has one current version": f"UPDATE versions SET valid_to = valid_from + 1 WHERE record_id = {RECORD}",
    "a record points to its current version": f"UPDATE records SET version_id = 1 WHERE id = {RECORD}",
    "versions are numbered from 1 without a gap": f"UPDATE versions SET no = 2 WHERE record_id = {RECORD}",
    "a version ends when the next begins": NEXT_VERSION.format(later=" + 1"),
    "a version is valid for a time": f"UPDATE versions SET valid_to = valid_from WHERE record_id = {RECORD}",
    "a version differs from the one before": NEXT_VERSION.format(later=""),
    "a version belongs to a record": f"DELETE FROM records WHERE id = {RECORD}",
    "both ends of a link are there": f"DELETE FROM urls WHERE id = {PAGE}",
    "both ends of a yield are there": f"DELETE FROM records WHERE id = {RECORD}",
    "a page has as many links as it gave": f"DELETE FROM links WHERE to_id = {PAGE}",
    "what a parsed page links to was seen in its crawl": f"UPDATE urls SET crawl_id = 0 WHERE id = {PAGE}",
    "a page belongs to a site, a crawl and a host of the site": "DELETE FROM site_hosts",
    FETCHED_TWICE: "UPDATE fetches SET url_id = 1 WHERE id = (SELECT MAX(id) FROM fetches)",
    "a page that was refused has an open drop": f"""
        UPDATE urls SET status = 'error', stage = 'parse', reason_code = 'parse', reason = 'x' WHERE id = {PAGE}""",
    "a parsed page has no drop open but those of its neighbours": f"""
        INSERT INTO drops (url_id, crawl_id, run_id, stage, code, reason, at)
        VALUES ({PAGE}, 1, 1, 'parse', 'parse', 'x', 1)""",
    "facts belong to a version, one row at a time": "UPDATE scores SET version_id = 999999 WHERE id = 1",
    "a file is built by a live run": "UPDATE exports SET result = 'building' WHERE id = 1",
    "a published file says what it holds": "UPDATE exports SET manifest = NULL, result = 'published' WHERE id = 1",
}
CHECKED_IN_PYTHON = {
    "the figures of crawl 1 do not add up": """
        UPDATE crawls SET figures = json_set(figures, '$.discovered', 62)""",
    "crawl 1 holds": f"UPDATE urls SET page_type = 'listing' WHERE id = {PAGE}",
    "a body of ": "UPDATE bodies SET bytes = bytes + 1",
    "a body is damaged": "UPDATE bodies SET hash = zeroblob(32) WHERE hash = (SELECT MAX(hash) FROM bodies)",
    "books-book.csv is published and not there": "UPDATE exports SET path = '/no/books-book.csv' WHERE format = 'csv'",
    "is not the file that was published": "UPDATE exports SET sha256 = 'x' WHERE format = 'csv'",
    "its manifest is not the one that was published": "UPDATE exports SET manifest = '{}' WHERE format = 'csv'",
    "says 59 records; 60 were known at its moment": "UPDATE exports SET records = 59 WHERE format = 'csv'",
}


def test_each_is_found_when_broken(small: CopiedProject, small_site: SiteServer, tmp_path: Path) -> None:
    run = run_books(small, small_site)
    assert run.ended.code == 0, run.ended.err[-3000:]
    assert broken_invariants(small.database_url, small.cache_dir) == []
    assert set(DAMAGE) == set(QUERIES)
    missed = [
        name
        for name, statements in (DAMAGE | CHECKED_IN_PYTHON).items()
        if not any(name in found for found in found_after(small, statements, tmp_path / "damaged.sqlite"))
    ]
    assert missed == []


def found_after(project: CopiedProject, statements: str, copy: Path) -> list[str]:
    """What is found in a copy of the database after these statements."""
    whole = make_url(project.database_url)
    shutil.copy(str(whole.database), copy)
    connection = sqlite3.connect(copy)
    connection.executescript(statements)
    connection.close()
    return broken_invariants(whole.set(database=str(copy)).render_as_string(), project.cache_dir)
