"""What a crawl amounts to, found by query: addresses per page type, status and reason, and refused fields."""

import json
from typing import Any

from sqlalchemy import Connection, func, select

from scraper.store.tables import crawls, drops, records, urls

STATUSES = ("parsed", "fetched", "error", "pending", "in_progress")


def crawl_figures(connection: Connection, crawl_id: int) -> dict[str, Any]:
    """Figures of a crawl: `discovered` equals the sum over `status`, in all and per page type.

    `refused` counts, per page type and field, the pages of which a record was refused for that field; a page that could
    not be parsed at all, for a reason no field names, stands under the field `page`.
    """
    pages: dict[str, dict[str, Any]] = {}
    total = dict.fromkeys(STATUSES, 0)
    reasons: dict[str, int] = {}
    counted = connection.execute(
        select(urls.c.page_type, urls.c.status, urls.c.reason_code, func.count())
        .where(urls.c.crawl_id == crawl_id)
        .group_by(urls.c.page_type, urls.c.status, urls.c.reason_code)
    )
    for page_type, status, code, count in counted:
        page = pages.setdefault(page_type, _no_pages())
        page["discovered"] += count
        page["status"][status] += count
        total[status] += count
        if status == "error":
            reasons[code] = reasons.get(code, 0) + count
            page["reasons"][code] = page["reasons"].get(code, 0) + count
    refused = connection.execute(
        select(urls.c.page_type, drops.c.field, func.count(drops.c.url_id.distinct()))
        .join(urls, urls.c.id == drops.c.url_id)
        .where(drops.c.crawl_id == crawl_id, drops.c.cleared_at.is_(None), drops.c.code.in_(("parse", "validate")))
        .group_by(urls.c.page_type, drops.c.field)
    )
    for page_type, name, count in refused:
        if page_type in pages:
            pages[page_type]["refused"][name or "page"] = count
    seen = connection.execute(
        select(records.c.kind, func.count()).where(records.c.last_crawl_id == crawl_id).group_by(records.c.kind)
    )
    return {
        "discovered": sum(total.values()),
        "status": total,
        "reasons": reasons,
        "pages": pages,
        "records_seen": dict(list(seen)),
    }


def _no_pages() -> dict[str, Any]:
    return {"discovered": 0, "status": dict.fromkeys(STATUSES, 0), "reasons": {}, "refused": {}}


def figures_before(connection: Connection, site_id: int, crawl_no: int, most: int = 5) -> list[dict[str, Any]]:
    """The frozen figures of the finished crawls before that one, the newest first, at most so many."""
    found = connection.execute(
        select(crawls.c.figures)
        .where(crawls.c.site_id == site_id, crawls.c.no < crawl_no, crawls.c.state == "finished")
        .order_by(crawls.c.no.desc())
        .limit(most)
    ).scalars()
    return [json.loads(figures) for figures in found]
