"""Speaks to `enrichments`: which record versions an enricher has still to see."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from scraper.store.facts import Due, Rule
from scraper.store.live_versions import is_live
from scraper.store.tables import FOREVER, enrichments, records, versions


class DueEnrichments:
    """Live versions without a row of the rule's version, or whose row rests on an older basis."""

    table = enrichments

    def __init__(self, rule: Rule, basis: int) -> None:
        self.rule = rule
        self.basis = basis

    def count(self, connection: Connection) -> int:
        """How many there are."""
        return int(connection.execute(self._due(select(func.count()))).scalar_one())

    def page(self, connection: Connection, after: int, limit: int) -> list[Due]:
        """The next ones by version number, after that one."""
        query = self._due(select(versions.c.id, records.c.key, versions.c.data))
        query = query.where(versions.c.id > after).order_by(versions.c.id).limit(limit)
        return [Due(number, key, data, self.basis) for number, key, data in connection.execute(query)]

    def _due(self, query: Select[Any]) -> Select[Any]:
        known = and_(
            enrichments.c.version_id == versions.c.id,
            enrichments.c.name == self.rule.name,
            enrichments.c.valid_to == FOREVER,
        )
        return (
            query.select_from(versions)
            .join(records, records.c.id == versions.c.record_id)
            .outerjoin(enrichments, known)
            .where(
                is_live(self.rule.site_id, self.rule.kind),
                or_(
                    enrichments.c.id.is_(None),
                    enrichments.c.rule_version != self.rule.version,
                    enrichments.c.basis < self.basis,
                ),
            )
        )
