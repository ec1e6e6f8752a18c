"""Kept pages with what they must become: `pages/<site>/<page type>/<case>.html`, and the truth beside it as `.json`."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from scraper.models import Link, Page, Record, Refused
from scraper.parser import load_parser
from scraper.sites import Site, load_site

PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True)
class KeptPage:
    """One kept page and its truth."""

    html: Path
    """The body, byte for byte; the truth stands beside it as `.json`."""

    @property
    def site(self) -> str:
        """The folder's grandparent names the site."""
        return self.html.parts[-3]

    @property
    def page_type(self) -> str:
        """The folder names the page type."""
        return self.html.parts[-2]

    @property
    def name(self) -> str:
        """Site, page type and case, as pytest shows it."""
        return f"{self.site}/{self.page_type}/{self.html.stem}"

    def truth(self) -> dict[str, Any]:
        """`url`, `yields`, and where needed `headers` and `context`."""
        truth: dict[str, Any] = json.loads(self.html.with_suffix(".json").read_text("utf-8"))
        return truth

    def parsed(self) -> list[dict[str, Any]]:
        """What its parser makes of it now."""
        truth = self.truth()
        return what_it_yields(
            load_site(self.site),
            self.page_type,
            truth["url"],
            self.html.read_bytes(),
            headers=truth.get("headers", {}),
            context=truth.get("context", {}),
        )


def kept_pages() -> list[KeptPage]:
    """All of them, sorted."""
    return [KeptPage(html) for html in sorted(PAGES.glob("*/*/*.html"))]


def what_it_yields(site: Site, page_type: str, url: str, body: bytes, **more: Any) -> list[dict[str, Any]]:
    """Records, links and refusals of a page as JSON values, in the order the parser gave them."""
    page = Page(url=url, body=body, locale=site.locale, **more)
    parser = load_parser(site.name, page_type, site.page_type(page_type).parser)
    return [_as_json(value, page) for value in parser.run(page)]


def _as_json(value: Record | Refused | Link, page: Page) -> dict[str, Any]:
    if isinstance(value, Record):
        return {"record": value.kind, **value.model_dump(mode="json")}
    if isinstance(value, Refused):
        return {"refused": value.model.kind, **dict(value.reasons)}
    link = {"link": urljoin(page.base_url, value.url), "page_type": value.page_type}
    return {**link, "context": dict(value.context)} if value.context else link


def differences(wanted: Iterable[dict[str, Any]], found: Iterable[dict[str, Any]]) -> list[str]:
    """One line for each field that differs, and for each value too many or missing."""
    wanted, found = list(wanted), list(found)
    lines = []
    for number, (left, right) in enumerate(zip(wanted, found, strict=False), start=1):
        for field in dict.fromkeys((*left, *right)):
            if (one := left.get(field, "(no such field)")) != (other := right.get(field, "(no such field)")):
                lines.append(f"{number}. {field}: must be {one!r}, is {other!r}")
    lines += [f"missing: {value}" for value in wanted[len(found) :]]
    lines += [f"too many: {value}" for value in found[len(wanted) :]]
    return lines
