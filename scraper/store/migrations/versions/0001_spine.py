"""The spine's tables."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text().with_variant(mysql.MEDIUMTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql", "mariadb")
OPTIONS: dict[str, Any] = {
    f"{engine}_{name}": value
    for engine in ("mysql", "mariadb")
    for name, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}


def word(length: int) -> Any:
    kind = mysql.VARCHAR(length, charset="ascii", collation="ascii_bin")
    return sa.String(length).with_variant(kind, "mysql", "mariadb")


def binary(length: int) -> Any:
    return sa.LargeBinary(length).with_variant(mysql.BINARY(length), "mysql", "mariadb")


def make_index(name: str, table: str, columns: list[str]) -> None:
    """Make an index once: MySQL has no IF NOT EXISTS for it, and a migration killed there is begun again."""
    if name not in {index["name"] for index in sa.inspect(op.get_bind()).get_indexes(table)}:
        op.create_index(name, table, columns)


def upgrade() -> None:
    op.create_table(
        "bodies",
        sa.Column("hash", binary(32), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "crawls",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("no", sa.BigInteger(), nullable=False),
        sa.Column("open_key", sa.BigInteger(), nullable=True),
        sa.Column("state", word(10), server_default="open", nullable=False),
        sa.Column("fresh", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("seeded_at", sa.BigInteger(), nullable=True),
        sa.Column("seeder_run_id", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("reason", TEXT, nullable=True),
        sa.Column("code_version", word(40), nullable=False),
        sa.Column("figures", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("open_key", name="crawls_open"),
        sa.UniqueConstraint("site_id", "no", name="crawls_no"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "drops",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("url_id", sa.BigInteger(), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("stage", word(10), nullable=False),
        sa.Column("code", word(16), nullable=False),
        sa.Column("kind", word(64), nullable=True),
        sa.Column("field", word(190), nullable=True),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("body_hash", binary(32), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("cleared_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("drops_crawl", "drops", ["crawl_id", "cleared_at"])
    make_index("drops_url", "drops", ["url_id"])
    op.create_table(
        "enrichments",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("name", word(64), nullable=False),
        sa.Column("rule_version", word(16), nullable=False),
        sa.Column("basis", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("data", TEXT, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_to", sa.BigInteger(), server_default="9223372036854775807", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("version_id", "name", "valid_to", name="enrichments_current"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "exports",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", word(64), nullable=False),
        sa.Column("format", word(16), nullable=False),
        sa.Column("options_hash", binary(32), nullable=False),
        sa.Column("open_key", word(190), nullable=True),
        sa.Column("path", TEXT, nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=True),
        sa.Column("records", sa.BigInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("sha256", word(64), nullable=True),
        sa.Column("schema_version", word(16), nullable=False),
        sa.Column("result", word(11), nullable=False),
        sa.Column("forced", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("manifest", TEXT, nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("open_key", name="exports_open"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("exports_site", "exports", ["site_id", "id"])
    op.create_table(
        "fetches",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("url_id", sa.BigInteger(), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("http_status", sa.BigInteger(), nullable=False),
        sa.Column("headers", TEXT, nullable=False),
        sa.Column("body_hash", binary(32), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("final_url", TEXT, nullable=True),
        sa.Column("tier", word(12), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("fetches_body", "fetches", ["body_hash"])
    make_index("fetches_url", "fetches", ["url_id"])
    op.create_table(
        "hosts",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("authority", word(260), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("authority", name="hosts_authority"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "links",
        sa.Column("from_id", sa.BigInteger(), nullable=False),
        sa.Column("to_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("from_id", "to_id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "records",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", word(64), nullable=False),
        sa.Column("key_hash", binary(32), nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("owner_url_id", sa.BigInteger(), nullable=False),
        sa.Column("first_seen", sa.BigInteger(), nullable=False),
        sa.Column("last_seen", sa.BigInteger(), nullable=False),
        sa.Column("last_crawl_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("site_id", "kind", "key_hash", name="records_key"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("records_kind", "records", ["site_id", "kind"])
    op.create_table(
        "runs",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=True),
        sa.Column("stage", word(12), nullable=False),
        sa.Column("state", word(6), server_default="live", nullable=False),
        sa.Column("outcome", word(16), nullable=True),
        sa.Column("reason", TEXT, nullable=True),
        sa.Column("machine", word(80), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("pid_started", sa.BigInteger(), nullable=False),
        sa.Column("beat", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("code_version", word(40), nullable=False),
        sa.Column("figures", TEXT, nullable=True),
        sa.PrimaryKeyConstraint("id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("runs_site", "runs", ["site_id", "id"])
    make_index("runs_state", "runs", ["state"])
    op.create_table(
        "scores",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("version_id", sa.BigInteger(), nullable=False),
        sa.Column("name", word(64), nullable=False),
        sa.Column("rule_version", word(16), nullable=False),
        sa.Column("basis", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("reasons", TEXT, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_to", sa.BigInteger(), server_default="9223372036854775807", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("version_id", "name", "valid_to", name="scores_current"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "site_hosts",
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("site_id", "host_id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sites",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", word(64), nullable=False),
        sa.Column("base", TEXT, nullable=True),
        sa.Column("paused_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name", name="sites_name"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    op.create_table(
        "urls",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("fp", binary(20), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("page_type", word(64), nullable=False),
        sa.Column("url", TEXT, nullable=False),
        sa.Column("request", TEXT, nullable=True),
        sa.Column("generation", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("depth", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("discovered_from", sa.BigInteger(), nullable=True),
        sa.Column("due", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("status", word(11), nullable=False),
        sa.Column("claimed_by", sa.BigInteger(), nullable=True),
        sa.Column("claimed_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("strikes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("fetch_id", sa.BigInteger(), nullable=True),
        sa.Column("fetched_at", sa.BigInteger(), nullable=True),
        sa.Column("fetched_crawl_id", sa.BigInteger(), nullable=True),
        sa.Column("parsed_hash", binary(32), nullable=True),
        sa.Column("parser_version", word(16), nullable=True),
        sa.Column("parsed_at", sa.BigInteger(), nullable=True),
        sa.Column("links_out", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("final_url", TEXT, nullable=True),
        sa.Column("context", TEXT, nullable=True),
        sa.Column("stage", word(10), nullable=True),
        sa.Column("reason", TEXT, nullable=True),
        sa.Column("reason_code", word(24), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("site_id", "fp", name="urls_fp"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("urls_claim", "urls", ["crawl_id", "status", "host_id", "due"])
    op.create_table(
        "versions",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", word(64), nullable=False),
        sa.Column("no", sa.BigInteger(), nullable=False),
        sa.Column("state", word(4), nullable=False),
        sa.Column("cause", word(8), nullable=False),
        sa.Column("data", TEXT, nullable=True),
        sa.Column("data_hash", binary(32), nullable=False),
        sa.Column("schema_version", word(16), nullable=False),
        sa.Column("parser_version", word(16), nullable=False),
        sa.Column("code_version", word(40), nullable=False),
        sa.Column("url_id", sa.BigInteger(), nullable=False),
        sa.Column("fetch_id", sa.BigInteger(), nullable=False),
        sa.Column("crawl_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("valid_from", sa.BigInteger(), nullable=False),
        sa.Column("valid_to", sa.BigInteger(), server_default="9223372036854775807", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("record_id", "no", name="versions_no"),
        sa.UniqueConstraint("record_id", "valid_to", name="versions_current"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_autoincrement=True,
    )
    make_index("versions_from", "versions", ["site_id", "kind", "valid_from"])
    make_index("versions_to", "versions", ["site_id", "kind", "valid_to"])
    op.create_table(
        "yields",
        sa.Column("url_id", sa.BigInteger(), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("url_id", "record_id"),
        **OPTIONS,
        if_not_exists=True,
        sqlite_with_rowid=False,
    )
    make_index("yields_record", "yields", ["record_id"])
