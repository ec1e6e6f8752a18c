"""Long lists of keys in pieces: engines bound the number of values in a statement, and a packet's size."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
SIZE = 500


def chunks(values: Iterable[T], size: int = SIZE) -> Iterator[list[T]]:
    """The values in lists of at most `size`, in order."""
    rest = iter(values)
    while piece := list(islice(rest, size)):
        yield piece
