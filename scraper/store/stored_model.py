"""Gives models back from the canonical JSON they are stored as, whatever their field types do with page text."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from scraper.errors import ModelMismatch
from scraper.models import reasons_of

M = TypeVar("M", bound=BaseModel)


def restore(model: type[M], data: str, mend: str) -> M:
    """The model whose `model_dump(mode="python")` is stored as `data`; raises ModelMismatch when it
    fits no more; `mend` is the command that stores it anew.

    Two steps, because a field type reads what stands on a page: `1.234` without a locale is refused there, and a strict
    model takes no text for a decimal. First the JSON becomes values of the bare types (Decimal, date …), then the model
    is given these values.
    """
    try:
        bare = _bare(model).model_validate_json(data)
        return model.model_validate({name: getattr(bare, name) for name in bare.model_fields_set}, by_name=True)
    except ValidationError as error:
        reasons = "; ".join(f"{field}: {reason}" for field, reason in reasons_of(error)[:3])
        raise ModelMismatch(
            f"what is stored does not fit {model.__name__} any more: {reasons}; run: scrapy {mend}"
        ) from error


@cache
def _bare(model: type[BaseModel]) -> type[BaseModel]:
    """The model's fields by their types alone: no validators, no constraints, none required, no unknown ones."""
    annotations = {name: field.annotation for name, field in model.model_fields.items()}
    hints = get_type_hints(type(model.__name__, (), {"__annotations__": annotations}))  # takes every Annotated off
    fields: dict[str, Any] = {name: (hint, None) for name, hint in hints.items()}
    return create_model(f"Bare{model.__name__}", __config__=ConfigDict(extra="forbid"), **fields)
