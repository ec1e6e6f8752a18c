"""What Excel can hold of a value: numbers and dates typed, the rest as text that is never a formula."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from openpyxl.cell import WriteOnlyCell

from scraper.export.value import Value, text_of

EXACT_DIGITS = 15
"""Excel keeps no more of a number; a longer one is an identifier and goes in as text."""
MOST_PLACES = 30
"""Decimal places a number format of Excel can show."""
LONGEST_TEXT = 32_767
"""UTF-16 units Excel takes in a cell."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_FIRST_DAY = date(1900, 3, 1)  # Excel has a 29 February 1900, and nothing before 1900


def cell_of(page: Any, value: Value, replaced: Counter[str]) -> Any:
    """What openpyxl is given: plain values where it guesses right, else a cell that says its type."""
    match value:
        case None | bool():
            return value
        case int() if len(str(abs(value))) <= EXACT_DIGITS:
            return value
        case float():
            return _number(page, repr(value), "General")
        case Decimal() if len(value.normalize().as_tuple().digits) <= EXACT_DIGITS:
            places = min(max(2, -int(value.as_tuple().exponent)), MOST_PLACES)
            return _number(page, format(value, "f"), f"0.{'0' * places}")
        case datetime() if value.date() >= _FIRST_DAY:
            cell = WriteOnlyCell(page, value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value)
            cell.number_format = "yyyy-mm-dd hh:mm:ss"
            return cell
        case date() if not isinstance(value, datetime) and value >= _FIRST_DAY:
            return value
        case time() if value.tzinfo is None:
            return value
    return _text(page, text_of(value), replaced)


def _number(page: Any, digits: str, number_format: str) -> Any:
    """A number written digit for digit; openpyxl would go through a float."""
    cell = WriteOnlyCell(page, digits)
    cell.data_type, cell.number_format = "n", number_format
    return cell


def _text(page: Any, text: str, replaced: Counter[str]) -> Any:
    text, bad = _NOT_XML.subn("\ufffd", text)
    if bad:
        replaced["control_characters"] += bad
    text = _LOOKS_ESCAPED.sub("_x005F_", text)  # else Excel reads `_x0041_` as A (ECMA-376, 22.9.2.19)
    if len(text) > LONGEST_TEXT // 2 and len(text.encode("utf-16-le")) > 2 * LONGEST_TEXT:
        replaced["texts_cut"] += 1
        text = text.encode("utf-16-le")[: 2 * LONGEST_TEXT].decode("utf-16-le", "ignore")
    if not text.startswith(("=", "#")):
        return text or None
    cell = WriteOnlyCell(page, text)
    cell.data_type = "s"  # openpyxl takes "=..." for a formula and "#N/A" for an error
    return cell
