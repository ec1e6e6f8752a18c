"""Computes again, from an export alone, what docs/books.md says is added to a book; uses nothing of the project.

`python tests/recompute_books.py books-book.csv UPC ...` prints it for the named books; JSONL is read too.
"""

import csv
import json
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Added:
    """What must stand beside a book."""

    category_median_price: Decimal
    price_distance: Decimal
    value: Decimal
    reasons: tuple[str, ...]


def read_export(file: Path) -> list[dict[str, Any]]:
    """The rows of an exported CSV or JSONL file."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        if file.suffix == ".jsonl":
            return [json.loads(line) for line in lines]
        return list(csv.DictReader(lines))


def recompute(rows: list[dict[str, Any]]) -> dict[str, Added]:
    """What is added to each book, by UPC. The rows must be all live books: medians are taken over them."""
    prices = defaultdict(list)
    for row in rows:
        prices[row["category"], row["currency"]].append(Decimal(row["price"]))
    medians = {group: _median(of_group) for group, of_group in prices.items()}
    return {row["upc"]: _added(row, medians[row["category"], row["currency"]]) for row in rows}


def _median(prices: list[Decimal]) -> Decimal:
    if len(prices) % 2 == 1:
        return statistics.median(prices)
    low, high = statistics.median_low(prices), statistics.median_high(prices)
    return ((low + high) / 2).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def _added(row: dict[str, Any], median: Decimal) -> Added:
    price, stars, copies = Decimal(row["price"]), int(row["rating"]), int(row["stock"])
    distance = price - median
    for_rating = 8 * stars
    for_stock = 20 if copies > 20 else copies
    for_description = 10 if row["description"] else 0
    if median == 0:
        for_price, about = Decimal(0), "the category's median price is 0"
    else:
        for_price = Decimal(15) - Decimal(30) * distance / median
        for_price = max(Decimal(0), min(Decimal(30), for_price)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
        if distance > 0:
            about = f"price {price} is {distance} above the category's median {median}"
        elif distance < 0:
            about = f"price {price} is {-distance} below the category's median {median}"
        else:
            about = f"price {price} is the category's median"
    reasons = (
        f"rating {stars} of 5: +{for_rating}",
        f"{copies} in stock: +{for_stock}",
        f"{about}: +{_short(for_price)}",
        f"has a description: +{for_description}" if row["description"] else "has no description: +0",
    )
    return Added(median, distance, for_rating + for_stock + for_price + for_description, reasons)


def _short(points: Decimal) -> str:
    text = str(points)
    return text.removesuffix(".0")


def main(words: list[str]) -> None:
    file, *upcs = words
    added = recompute(read_export(Path(file)))
    for upc in upcs or added:
        one = added[upc]
        print(upc, one.category_median_price, one.price_distance, one.value, *one.reasons, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
