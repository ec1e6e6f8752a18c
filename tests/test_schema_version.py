"""A schema version changes with what a record can hold, and with nothing else."""

import subprocess
import sys
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, create_model

from scraper.models import Record
from scraper.schema_version import schema_version
from scraper.settings import PROJECT_DIR
from tests.export.shop import Product


def version(**fields: object) -> str:
    return schema_version(create_model("Thing", **fields))


def test_docs_do_not_count_and_fields_do() -> None:
    plain = version(title=(str, ...), price=(Decimal, ...))
    assert len(plain) == 16
    assert int(plain, 16) >= 0
    assert (
        version(title=(str, Field(title="The title", description="d", examples=["x"])), price=(Decimal, ...)) == plain
    )
    assert version(title=(Annotated[str, AfterValidator(str.strip)], ...), price=(Decimal, ...)) == plain
    others = [
        version(title=(str, ...)),
        version(price=(Decimal, ...), title=(str, ...)),
        version(title=(str | None, ...), price=(Decimal, ...)),
        version(title=(str, "x"), price=(Decimal, ...)),
        version(title=(str, ...), price=(str, ...)),
        version(title=(str, ...), price=(Annotated[Decimal, Field(ge=0)], ...)),
    ]
    assert len({plain, *others}) == 7


def test_nested_models_and_the_key_count() -> None:
    class Size(BaseModel):
        width: int

    class Longer(BaseModel):
        width: int
        length: int

    assert version(size=(Size, ...)) != version(size=(Longer, ...))

    class One(Record):
        key = ("a",)
        a: str
        b: str

    class Two(Record):
        key = ("b",)
        a: str
        b: str

    assert schema_version(One) != schema_version(Two)


def test_it_is_the_same_in_another_process() -> None:
    code = (
        "from tests.export.shop import Product; from scraper.schema_version import schema_version;"
        "print(schema_version(Product))"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=PROJECT_DIR, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == schema_version(Product)
