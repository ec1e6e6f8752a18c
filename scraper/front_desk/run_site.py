"""The stages after the crawl, in order, within one run: what `scrapy run` does once the pages are in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scraper.enrich.enrichers import enrichers_of
from scraper.enrich.stage import enrich_site
from scraper.export.export_report import lines_of
from scraper.export.format import Format
from scraper.export.runner import export_site
from scraper.monitor.stage_bar import StageBar
from scraper.queue.live_run import LiveRun
from scraper.score.scorecards import scorecards_of
from scraper.score.stage import score_site
from scraper.sites import Site
from scraper.store.cut_points import cut_point

Say = Callable[[str], None]


@dataclass(frozen=True)
class Finished:
    """How the stages came out."""

    ok: bool
    """Whether every record was enriched and scored."""
    held: bool
    """Whether the publish gate held a file back."""


def finish_site(site: Site, run: LiveRun, formats: Sequence[Format], output: Path, force: bool, say: Say) -> Finished:
    """Enrich, score, export. Each stage takes what it finds undone, so a killed run is simply started again."""
    cut_point("run:crawled")
    enrichers, scorecards = enrichers_of(site), scorecards_of(site)
    with StageBar() as bar:
        enriched = enrich_site(run.database, site, run.site_id, bar)
        run.check()
        scored = score_site(run.database, site, run.site_id, bar)
        run.check()
        files = export_site(
            run.database,
            site,
            run.id,
            formats,
            output,
            enrichers=enrichers,
            scorecards=scorecards,
            force=force,
            tell=bar,
        )
    cut_point("run:exported")
    for line in (*enriched.lines(), *scored.lines(), *lines_of(site.name, files)):
        say(line)
    return Finished(enriched.ok and scored.ok, any(file.held for file in files))
