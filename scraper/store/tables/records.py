"""Records and their versions, which pages yield them, and what enrichers and scorecards added."""

from sqlalchemy import Index, Table, UniqueConstraint

from scraper.store.tables.metadata import (
    FOREVER,
    TABLE_OPTIONS,
    binary,
    identity,
    metadata,
    number,
    real,
    text,
    word,
)

records = Table(
    "records",
    metadata,
    identity(),
    number("site_id"),
    word("kind", 64),
    binary("key_hash", 32),
    text("key"),
    number("version_id"),
    number("owner_url_id"),
    number("first_seen"),
    number("last_seen"),
    number("last_crawl_id"),
    UniqueConstraint("site_id", "kind", "key_hash", name="records_key"),
    Index("records_kind", "site_id", "kind"),
    **TABLE_OPTIONS,
)

versions = Table(
    "versions",
    metadata,
    identity(),
    number("record_id"),
    number("site_id"),
    word("kind", 64),
    number("no"),
    word("state", 4),
    word("cause", 8),
    text("data", null=True),
    binary("data_hash", 32),
    word("schema_version", 16),
    word("parser_version", 16),
    word("code_version", 40),
    number("url_id"),
    number("fetch_id"),
    number("crawl_id"),
    number("run_id"),
    number("valid_from"),
    number("valid_to", default=FOREVER),
    UniqueConstraint("record_id", "no", name="versions_no"),
    UniqueConstraint("record_id", "valid_to", name="versions_current"),
    Index("versions_from", "site_id", "kind", "valid_from"),
    Index("versions_to", "site_id", "kind", "valid_to"),
    **TABLE_OPTIONS,
)

yields = Table(
    "yields",
    metadata,
    number("url_id", key=True),
    number("record_id", key=True),
    Index("yields_record", "record_id"),
    **{**TABLE_OPTIONS, "sqlite_autoincrement": False, "sqlite_with_rowid": False},
)

enrichments = Table(
    "enrichments",
    metadata,
    identity(),
    number("version_id"),
    word("name", 64),
    word("rule_version", 16),
    number("basis", default=0),
    text("data"),
    number("made_at"),
    number("valid_to", default=FOREVER),
    UniqueConstraint("version_id", "name", "valid_to", name="enrichments_current"),
    **TABLE_OPTIONS,
)

scores = Table(
    "scores",
    metadata,
    identity(),
    number("version_id"),
    word("name", 64),
    word("rule_version", 16),
    number("basis", default=0),
    real("value"),
    text("reasons"),
    number("made_at"),
    number("valid_to", default=FOREVER),
    UniqueConstraint("version_id", "name", "valid_to", name="scores_current"),
    **TABLE_OPTIONS,
)
