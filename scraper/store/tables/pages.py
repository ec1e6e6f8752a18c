"""Bodies, the fetches that brought them, and what was refused of a page."""

from sqlalchemy import Index, Table

from scraper.store.tables.metadata import TABLE_OPTIONS, binary, identity, metadata, number, real, text, word

bodies = Table(
    "bodies",
    metadata,
    binary("hash", 32, key=True),
    number("bytes"),
    number("stored_bytes"),
    number("touched_at"),
    **{**TABLE_OPTIONS, "sqlite_autoincrement": False, "sqlite_with_rowid": False},
)

fetches = Table(
    "fetches",
    metadata,
    identity(),
    number("url_id"),
    number("crawl_id"),
    number("run_id"),
    number("at"),
    number("http_status"),
    text("headers"),
    binary("body_hash", 32, null=True),
    number("bytes"),
    text("final_url", null=True),
    word("tier", 12),
    real("seconds"),
    Index("fetches_url", "url_id"),
    Index("fetches_body", "body_hash"),
    **TABLE_OPTIONS,
)

drops = Table(
    "drops",
    metadata,
    identity(),
    number("url_id"),
    number("crawl_id"),
    number("run_id"),
    word("stage", 10),
    word("code", 16),
    word("kind", 64, null=True),
    word("field", 190, null=True),
    text("reason"),
    binary("body_hash", 32, null=True),
    number("at"),
    number("cleared_at", null=True),
    Index("drops_url", "url_id"),
    Index("drops_crawl", "crawl_id", "cleared_at"),
    **TABLE_OPTIONS,
)
