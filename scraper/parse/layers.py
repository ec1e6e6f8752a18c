"""The layers of a selector: one way each to find values in a page or an element of it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parsel import Selector, css2xpath

_CLOSING = ",.;:!?)]}%…"  # no blank is put before these
_TEXT_ITSELF = ("script", "style", "sup")  # what is left out inside others is the text of who selects it
_TEXTS = (
    ".//text()[not(parent::script or parent::style)]"
    "[not(ancestor::sup[string-length(translate(normalize-space(.), '[]()', '')) < 2])]"
)


@dataclass(frozen=True)
class Layer:
    """One way to find values: an expression, and what is kept of what it finds."""

    kind: str
    """`css`, `xpath` or `regex`; the second of its kind in a selector is `css2`. The counts use this name."""
    text: str
    """The expression as written, for reasons."""
    xpath: str | None
    """What CSS and XPath come down to; None reads the source."""
    cut: re.Pattern[str] | None = None
    """What is kept of each value: all that matches, its group where it has one."""

    def values(self, where: Selector, source: Callable[[], str]) -> list[str]:
        """All it finds, in order and stripped; blank ones too."""
        found = [source()] if self.xpath is None else [value_of(node) for node in where.xpath(self.xpath)]
        if self.cut is not None:
            found = [match for value in found for match in self.cut.findall(value)]
        return [value.strip() for value in found]


def layers(css: str | None, xpath: str | None, regex: str | None) -> Iterator[Layer]:
    """The layers that one call names, CSS before XPath, or the regex alone; ValueError for a wrong expression."""
    cut = re.compile(regex) if regex is not None else None
    if cut and cut.groups > 1:
        raise ValueError(f"regex {regex!r} has {cut.groups} groups: keep one, write (?:...) for the others")
    shown = f" regex {regex}" if cut else ""
    if css is not None:
        yield Layer("css", f"{css}{shown}", _checked(_from_css(css)), cut)
    if xpath is not None:
        yield Layer("xpath", f"{xpath}{shown}", _checked(xpath), cut)
    if css is None and xpath is None:
        if cut is None:
            raise ValueError("a selector needs css, xpath or regex")
        yield Layer("regex", str(regex), None, cut)


def _from_css(css: str) -> str:
    try:
        return css2xpath(css)
    except (SyntaxError, RuntimeError) as error:  # what cssselect raises
        raise ValueError(f"css {css!r}: {error}") from error


def _checked(xpath: str) -> str:
    Selector(text="<p></p>").xpath(xpath)  # raises ValueError while the site is loaded, not at the first page
    return xpath


def value_of(node: Selector) -> str:
    """A text node or attribute as it is; of an element its whole text."""
    if not hasattr(node.root, "tag"):
        return str(node.root)
    if node.root.tag in _TEXT_ITSELF:
        return str(node.xpath("string()").get())
    whole = ""
    for piece in node.xpath(_TEXTS):
        text = str(piece.root)
        if words := " ".join(text.split()):
            whole += words if not whole or text[0] in _CLOSING else f" {words}"
    return whole
