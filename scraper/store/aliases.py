"""Where a redirect led: the final address gets a row of its own, so that it is not fetched again when listed."""

from sqlalchemy import Connection, select, update

from scraper.store.database import Database
from scraper.store.links import known_by_fp, replace_links
from scraper.store.page_end import PageEnd
from scraper.store.sites import host_ids
from scraper.store.tables import links, urls, yields
from scraper.store.visit import CrawlRules

_COPIED = ("page_type", "fetch_id", "fetched_at", "fetched_crawl_id", "parsed_hash", "parser_version", "parsed_at")


def write_alias(database: Database, connection: Connection, rules: CrawlRules, end: PageEnd) -> None:
    """Settle the row of `end.final` with what `end` gave: made when absent, ended when pending, else left alone.

    It gets copies of the page's links and yields; else the record would look gone once only it is listed.
    """
    final = end.final
    if final is None or end.reason_code is not None:
        return
    origin = connection.execute(select(urls).where(urls.c.id == end.url_id)).mappings().one()
    copied = {name: origin[name] for name in (*_COPIED, "links_out")}
    settled = {"status": "parsed", "stage": None, "reason_code": None, "reason": None, "crawl_id": rules.crawl_id}
    known = known_by_fp(connection, rules.site_id, [final.fp]).get(final.fp)
    if known is None:
        host = host_ids(database, connection, rules.site_id, [final.authority])[final.authority]
        row = {"site_id": rules.site_id, "fp": final.fp, "host_id": host, "url": final.url, "depth": final.depth}
        row |= {"discovered_from": end.url_id, "created_at": database.now(connection)}
        connection.execute(database.dialect.insert_missing(urls).values(**row, **copied, **settled))
        known = known_by_fp(connection, rules.site_id, [final.fp])[final.fp]
    elif (
        known.id == end.url_id
        or not connection.execute(
            update(urls).where(urls.c.id == known.id, urls.c.status == "pending").values(**copied, **settled)
        ).rowcount
    ):
        return
    targets = connection.execute(select(links.c.to_id).where(links.c.from_id == end.url_id)).scalars()
    replace_links(database, connection, {known.id: set(targets)})
    given = connection.execute(select(yields.c.record_id).where(yields.c.url_id == end.url_id)).scalars()
    if rows := [{"url_id": known.id, "record_id": record} for record in sorted(given)]:
        connection.execute(database.dialect.insert_missing(yields), rows)
