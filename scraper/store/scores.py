"""Speaks to `scores`: which record versions a scorecard has still to judge, and the facts it judges them by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from scraper.store.facts import Due, Rule
from scraper.store.live_versions import is_live
from scraper.store.tables import FOREVER, enrichments, records, scores, versions


class DueScores:
    """Live versions without a row of the rule's version, or whose row rests on older enrichments."""

    table = scores

    def __init__(self, rule: Rule, enrichers: Sequence[str]) -> None:
        self.rule = rule
        self.enrichers = tuple(enrichers)

    def count(self, connection: Connection) -> int:
        """How many there are."""
        return int(connection.execute(self._due(select(func.count()))).scalar_one())

    def page(self, connection: Connection, after: int, limit: int) -> list[Due]:
        """The next ones by version number, after that one, each with its facts."""
        query = self._due(select(versions.c.id, records.c.key, versions.c.data))
        query = query.where(versions.c.id > after).order_by(versions.c.id).limit(limit)
        rows = connection.execute(query).all()
        facts: defaultdict[int, dict[str, str]] = defaultdict(dict)
        basis: defaultdict[int, int] = defaultdict(int)
        added = select(enrichments.c.id, enrichments.c.version_id, enrichments.c.name, enrichments.c.data).where(
            enrichments.c.version_id.in_([number for number, _, _ in rows]), *self._current_facts()
        )
        for fact_id, version_id, name, data in connection.execute(added):
            facts[version_id][name] = data
            basis[version_id] = max(basis[version_id], fact_id)  # of these rows, not of any that came since
        return [Due(number, key, data, basis[number], facts[number]) for number, key, data in rows]

    def _current_facts(self) -> tuple[Any, ...]:
        return (enrichments.c.name.in_(self.enrichers), enrichments.c.valid_to == FOREVER)

    def _due(self, query: Select[Any]) -> Select[Any]:
        known = and_(
            scores.c.version_id == versions.c.id, scores.c.name == self.rule.name, scores.c.valid_to == FOREVER
        )
        newest = (
            select(func.coalesce(func.max(enrichments.c.id), 0))
            .where(enrichments.c.version_id == versions.c.id, *self._current_facts())
            .scalar_subquery()
        )
        return (
            query.select_from(versions)
            .join(records, records.c.id == versions.c.record_id)
            .outerjoin(scores, known)
            .where(
                is_live(self.rule.site_id, self.rule.kind),
                or_(
                    scores.c.id.is_(None),
                    scores.c.rule_version != self.rule.version,
                    scores.c.basis < newest,
                ),
            )
        )
