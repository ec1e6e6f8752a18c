"""What a stage after the crawl did on a site, as lines for a person and as figures for the run's row."""

from __future__ import annotations

from dataclasses import dataclass

from scraper.store.facts import Kept

_WORDS = {"enrich": ("enriched", "enrichers"), "score": ("scored", "scorecards")}


@dataclass(frozen=True)
class Failure:
    """A record that a rule could not judge; what was found of it before stays."""

    key: str
    """The record's key."""
    reason: str
    """What was raised, and in which line of the rule."""


@dataclass(frozen=True)
class Swept:
    """What one pass of a rule came to."""

    rule: str
    """The rule's name."""
    kind: str
    """The kind of record it judges."""
    records: int
    """Live records of the kind when it began."""
    current: int
    """Those that were not due."""
    kept: Kept
    """What became of the findings."""
    failed: int
    """Records it could not judge; they stay due."""
    failures: tuple[Failure, ...]
    """The first of them, by name."""


@dataclass(frozen=True)
class StageReport:
    """One stage on one site: a pass for each rule, in the site's order."""

    site: str
    """The site's name."""
    stage: str
    """`enrich` or `score`."""
    passes: tuple[Swept, ...]
    """What each rule came to."""

    @property
    def ok(self) -> bool:
        """Whether every record was judged."""
        return not any(one.failed for one in self.passes)

    @property
    def trouble(self) -> str | None:
        """Why the stage failed, for the run's row, or None."""
        failed = [
            f"{one.rule} failed for {one.failed:,} of {one.records:,} records" for one in self.passes if one.failed
        ]
        return "; ".join(failed) or None

    @property
    def figures(self) -> dict[str, object]:
        """The counts by `stage/rule/outcome`."""
        return {
            f"{self.stage}/{one.rule}/{outcome}": count
            for one in self.passes
            for outcome, count in (
                ("records", one.records),
                ("current", one.current),
                ("made", one.kept.made),
                ("confirmed", one.kept.confirmed),
                ("overtaken", one.kept.overtaken),
                ("failed", one.failed),
            )
        }

    def lines(self) -> list[str]:
        """The result as a person reads it."""
        done, rules = _WORDS[self.stage]
        if not self.passes:
            return [f"{self.site}: no {rules}; they would stand in spiders/{self.site}/{self.stage}.py"]
        return [line for one in self.passes for line in self._lines(one, done)]

    def _lines(self, one: Swept, done: str) -> list[str]:
        line = (
            f"{self.site}: {one.records:,} records, {one.kept.made:,} {done} by {one.rule}, {one.current:,} up to date"
        )
        for count, words in (
            (one.kept.confirmed, "found unchanged"),
            (one.kept.overtaken, "left to another process"),
            (one.failed, "failed"),
        ):
            line += f", {count:,} {words}" if count else ""
        named = [f"  {one.kind} {failure.key}: {failure.reason}" for failure in one.failures]
        more = one.failed - len(one.failures)
        return [line, *named, *([f"  and {more:,} more"] if more else [])]
