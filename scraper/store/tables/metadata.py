"""The column types that both engines share, and the metadata all tables belong to.

A time is a BIGINT of microseconds since 1970 UTC: the same arithmetic and order on both engines, and room for FOREVER,
which no datetime can hold. `scraper.store.clock` turns it into an aware datetime at the store's door.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, MetaData, String, Text
from sqlalchemy.dialects import mysql

FOREVER = 9223372036854775807
"""Stands for "none yet" in a unique key: NULLs are distinct there."""

metadata = MetaData()

_TEXT = Text().with_variant(mysql.MEDIUMTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql", "mariadb")
_BIG_KEY = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only in an INTEGER key


def identity() -> "Column[int]":
    """The table's own number for a row; never given out twice."""
    return Column("id", _BIG_KEY, primary_key=True, autoincrement=True)


def number(name: str, *, null: bool = False, default: int | None = None, key: bool = False) -> "Column[int]":
    """A 64-bit integer: a time, a reference or a count."""
    server_default = None if default is None else str(default)
    return Column(name, BigInteger, nullable=null, server_default=server_default, primary_key=key, autoincrement=False)


def word(name: str, length: int, *, null: bool = False, default: str | None = None) -> "Column[str]":
    """Short ASCII text that compares byte for byte on every engine."""
    kind: Any = String(length).with_variant(
        mysql.VARCHAR(length, charset="ascii", collation="ascii_bin"), "mysql", "mariadb"
    )
    return Column(name, kind, nullable=null, server_default=default)


def text(name: str, *, null: bool = False) -> "Column[str]":
    """Text of any length, never part of a key; JSON is stored in it in canonical form."""
    return Column(name, _TEXT, nullable=null)


def binary(name: str, length: int, *, null: bool = False, key: bool = False) -> "Column[bytes]":
    """A hash or fingerprint of exactly `length` bytes."""
    kind: Any = LargeBinary(length).with_variant(mysql.BINARY(length), "mysql", "mariadb")
    return Column(name, kind, nullable=null, primary_key=key)


def real(name: str, *, null: bool = False) -> "Column[float]":
    """A double: seconds, or a score."""
    return Column(name, Double, nullable=null)


def flag(name: str) -> "Column[bool]":
    """True or false; false unless said."""
    return Column(name, Boolean, nullable=False, server_default="0")


TABLE_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mariadb_engine": "InnoDB",
    "mysql_charset": "utf8mb4",
    "mariadb_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_bin",
    "mariadb_collate": "utf8mb4_bin",
    "sqlite_autoincrement": True,
}
