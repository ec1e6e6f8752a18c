"""One text for one value: JSON with sorted keys, no NaN, decimals as exact strings. Hashes are taken of it."""

import hashlib
import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID


def canonical(value: Any) -> str:
    """Canonical JSON; raises TypeError or ValueError for what JSON cannot carry exactly."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain)


def plain(value: Any) -> Any:
    """What stands in JSON for a value that JSON has no form for; raises TypeError for a foreign one."""
    match value:
        case Decimal():
            return format(value, "f")  # never 1E+3
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case UUID():
            return str(value)
        case Enum():
            return value.value
        case set() | frozenset():
            return sorted(value)
        case tuple():
            return list(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON: {value!r:.80}")


def digest(text: str) -> bytes:
    """SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).digest()
