"""The keys that a word typed by a person may mean: `GB,123` is one text, or a text and a number, or two texts. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, islice, pairwise, product

MOST = 500
"""A word is read in at most so many ways."""


def readings(word: str) -> list[list[object]]:
    """The values of a key's fields in every way the word can be read: no model is asked, so a broken one hides no page.

    Fields are joined by commas, and any of them may hold commas itself; a field is a text, or a number or truth value.
    """
    return list(islice(_readings(word), MOST))


def _readings(word: str) -> Iterator[list[object]]:
    pieces = word.split(",")
    for fields in range(1, len(pieces) + 1):
        for cuts in combinations(range(1, len(pieces)), fields - 1):
            parts = [",".join(pieces[start:end]) for start, end in pairwise((0, *cuts, len(pieces)))]
            yield from (list(values) for values in product(*(_values(part) for part in parts)))


def _values(part: str) -> list[object]:
    try:
        value = json.loads(part)
    except ValueError:
        return [part]
    return [part, value] if value is None or isinstance(value, bool | int) else [part]
