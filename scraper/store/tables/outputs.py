"""The finished files."""

from sqlalchemy import Index, Table, UniqueConstraint

from scraper.store.tables.metadata import TABLE_OPTIONS, binary, flag, identity, metadata, number, text, word

exports = Table(
    "exports",
    metadata,
    identity(),
    number("site_id"),
    word("kind", 64),
    word("format", 16),
    binary("options_hash", 32),
    word("open_key", 190, null=True),
    text("path"),
    number("as_of"),
    number("crawl_id", null=True),
    number("records", null=True),
    number("bytes", null=True),
    word("sha256", 64, null=True),
    word("schema_version", 16),
    word("result", 11),
    flag("forced"),
    text("manifest", null=True),
    number("started_at"),
    number("finished_at", null=True),
    number("run_id"),
    UniqueConstraint("open_key", name="exports_open"),
    Index("exports_site", "site_id", "id"),
    **TABLE_OPTIONS,
)
