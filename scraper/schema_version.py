"""Versions of what a record can hold: they change when a field of the model comes, goes or takes other values."""

import hashlib
import json
from functools import cache
from typing import Any

from pydantic import BaseModel

_WORDS_FOR_PEOPLE = ("title", "description", "examples")
_NAMED_SCHEMAS = ("properties", "$defs", "patternProperties")


@cache
def schema_version(model: type[BaseModel]) -> str:
    """16 hex digits derived from the names, order, types and limits of the fields, and from the key.

    Titles and descriptions do not count: a better docstring is not another schema.
    """
    content = {
        "fields": list(model.model_fields),
        "key": list(getattr(model, "key", ())),
        "schema": _bare(model.model_json_schema()),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _bare(schema: Any) -> Any:
    match schema:
        case dict():
            return {
                name: {field: _bare(one) for field, one in value.items()} if name in _NAMED_SCHEMAS else _bare(value)
                for name, value in schema.items()
                if name not in _WORDS_FOR_PEOPLE
            }
        case list():
            return [_bare(one) for one in schema]
    return schema
