"""Sites, hosts, crawls, runs, and the urls that are the queue."""

from sqlalchemy import Index, Table, UniqueConstraint

from scraper.store.tables.metadata import TABLE_OPTIONS, binary, flag, identity, metadata, number, text, word

sites = Table(
    "sites",
    metadata,
    identity(),
    word("name", 64),
    text("base", null=True),
    number("paused_at", null=True),
    UniqueConstraint("name", name="sites_name"),
    **TABLE_OPTIONS,
)

hosts = Table(
    "hosts",
    metadata,
    identity(),
    word("authority", 260),
    UniqueConstraint("authority", name="hosts_authority"),
    **TABLE_OPTIONS,
)

site_hosts = Table(
    "site_hosts",
    metadata,
    number("site_id", key=True),
    number("host_id", key=True),
    **{**TABLE_OPTIONS, "sqlite_autoincrement": False, "sqlite_with_rowid": False},
)

crawls = Table(
    "crawls",
    metadata,
    identity(),
    number("site_id"),
    number("no"),
    number("open_key", null=True),
    word("state", 10, default="open"),
    flag("fresh"),
    number("started_at"),
    number("seeded_at", null=True),
    number("seeder_run_id", null=True),
    number("finished_at", null=True),
    text("reason", null=True),
    word("code_version", 40),
    text("figures", null=True),
    UniqueConstraint("site_id", "no", name="crawls_no"),
    UniqueConstraint("open_key", name="crawls_open"),
    **TABLE_OPTIONS,
)

runs = Table(
    "runs",
    metadata,
    identity(),
    number("site_id"),
    number("crawl_id", null=True),
    word("stage", 12),
    word("state", 6, default="live"),
    word("outcome", 16, null=True),
    text("reason", null=True),
    word("machine", 80),
    number("pid"),
    number("pid_started"),
    number("beat", default=0),
    number("beat_at"),
    number("started_at"),
    number("ended_at", null=True),
    word("code_version", 40),
    text("figures", null=True),
    Index("runs_site", "site_id", "id"),
    Index("runs_state", "state"),
    **TABLE_OPTIONS,
)

urls = Table(
    "urls",
    metadata,
    identity(),
    number("site_id"),
    binary("fp", 20),
    number("crawl_id"),
    number("host_id"),
    word("page_type", 64),
    text("url"),
    text("request", null=True),
    number("generation", default=0),
    number("depth", default=0),
    number("discovered_from", null=True),
    number("due", default=0),
    word("status", 11),
    number("claimed_by", null=True),
    number("claimed_at", null=True),
    number("attempts", default=0),
    number("strikes", default=0),
    number("fetch_id", null=True),
    number("fetched_at", null=True),
    number("fetched_crawl_id", null=True),
    binary("parsed_hash", 32, null=True),
    word("parser_version", 16, null=True),
    number("parsed_at", null=True),
    number("links_out", default=0),
    text("final_url", null=True),
    text("context", null=True),
    word("stage", 10, null=True),
    text("reason", null=True),
    word("reason_code", 24, null=True),
    number("created_at"),
    UniqueConstraint("site_id", "fp", name="urls_fp"),
    Index("urls_claim", "crawl_id", "status", "host_id", "due"),
    **TABLE_OPTIONS,
)

links = Table(
    "links",
    metadata,
    number("from_id", key=True),
    number("to_id", key=True),
    **{**TABLE_OPTIONS, "sqlite_autoincrement": False, "sqlite_with_rowid": False},
)
