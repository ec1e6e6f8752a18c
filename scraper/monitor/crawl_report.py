"""What a crawl came to, in the last lines a person or a log reads, and the exit code it deserves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from scraper.monitor.fallen import MOST, Fallen, fallen
from scraper.monitor.promises import broken_promises
from scraper.sites import Site
from scraper.store import crawls
from scraper.store.crawls import Crawl
from scraper.store.database import Database
from scraper.store.figures import crawl_figures, figures_before
from scraper.store.runs import Outcome
from scraper.store.tables import drops, urls

FINE = ("finished", "joined-finished")


@dataclass(frozen=True)
class CrawlReport:
    """A run of a crawl that has ended."""

    site: Site
    """The site."""
    crawl: Crawl
    """Its crawl as it stands now."""
    outcome: Outcome
    """How the run came out."""
    reason: str | None
    """Why, where that is not plain."""
    figures: dict[str, Any]
    """What the crawl amounts to."""
    broken: tuple[str, ...]
    """Promises broken; only asked of a crawl that is closed."""
    fallen: tuple[Fallen, ...]
    """Fields that pages no longer give."""
    example: tuple[str, str] | None
    """Page type and address of a page that was refused."""
    kept: int
    """Pages whose answer is kept and that wait to be parsed."""
    stopped: bool
    """Whether a signal or a fault ended the run, not its own plan."""

    @property
    def failed(self) -> bool:
        """Whether somebody must look."""
        if self.outcome in FINE:
            return bool(self.broken) or self.crawl.state != "finished"
        return self.stopped

    def lines(self) -> list[str]:
        """The report, the most important last."""
        name, status = self.site.name, self.figures["status"]
        counts = ", ".join(f"{count:,} {what}" for what, count in status.items() if count or what == "parsed")
        records = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.figures["records_seen"].items()))
        lines = [
            f"{name}: crawl {self.crawl.no} {self.crawl.state}: {self.figures['discovered']:,} pages: {counts}",
            f"{name}: records seen: {records or 'none'}",
        ]
        if reasons := self.figures["reasons"]:
            lines.append(
                f"{name}: errors: " + ", ".join(f"{count:,} {code}" for code, count in sorted(reasons.items()))
            )
        if self.kept:
            lines.append(f"{name}: pages kept that wait to be parsed: {self.kept:,}")
        if self.reason:
            lines.append(f"{name}: {self.outcome}: {self.reason}")
        lines += [one.line(name) for one in self.fallen[:MOST]]
        if len(self.fallen) > MOST:
            lines.append(f"{name}: and {len(self.fallen) - MOST} more fields; see: scrapy status {name}")
        if self.example is not None:
            page_type, url = self.example
            lines.append(f"look: scrapy try {name} {page_type} {url}")
            lines.append(f"then mend the parser and type: scrapy reparse {name} --errors")
        if self.crawl.state == "incomplete":
            lines.append(f"{name}: a page that others are found through is in error, so what it leads to is not known")
            lines.append(f"once it is well again: scrapy requeue {name} and then scrapy crawl {name}")
        lines += [f"{name}: promise broken: {promise}" for promise in self.broken]
        if self.outcome not in FINE:
            lines.append(f"go on: scrapy crawl {name}")
        return lines


def report(
    database: Database, site: Site, crawl_id: int, outcome: Outcome, reason: str | None, stopped: bool
) -> CrawlReport:
    """Look at the crawl as it stands now."""
    with database.read() as connection:
        crawl = crawls.find(connection, crawl_id)
        figures = crawl_figures(connection, crawl_id)
        before = figures_before(connection, crawl.site_id, crawl.no)
        broken = broken_promises(connection, site, crawl.site_id, crawl_id) if crawl.state != "open" else []
        example = connection.execute(
            select(urls.c.page_type, urls.c.url)
            .join(drops, drops.c.url_id == urls.c.id)
            .where(drops.c.crawl_id == crawl_id, drops.c.cleared_at.is_(None), drops.c.code.in_(("parse", "validate")))
            .order_by(drops.c.id)
            .limit(1)
        ).first()
        waiting = (urls.c.crawl_id == crawl_id) & (urls.c.status == "pending") & (urls.c.fetched_crawl_id == crawl_id)
        kept = connection.execute(select(func.count()).where(waiting)).scalar_one()
    return CrawlReport(
        site=site,
        crawl=crawl,
        outcome=outcome,
        reason=reason,
        figures=figures,
        broken=tuple(broken),
        fallen=tuple(fallen(figures, before)),
        example=(example.page_type, example.url) if example else None,
        kept=kept,
        stopped=stopped,
    )
