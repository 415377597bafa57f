"""What every table shares: names of constraints, how text and JSON are written, and the spelling of a moment."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Dialect, Integer, MetaData, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase

from honeyguide.storage.text import storable

NOW = "(strftime('%Y-%m-%dT%H:%M:%fZ','now'))"
"""The default of ``created_at`` in the two public tables, for rows that another program inserts."""

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class StorableText(TypeDecorator[str]):
    """Text of any origin: a lone surrogate, which no database takes, is written as its escape."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Base(DeclarativeBase):
    """The declarative base of all tables."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {  # noqa: RUF012 (read by SQLAlchemy on the class)
        str: StorableText(),
        int: BigInteger().with_variant(Integer(), "sqlite"),
        dict[str, Any]: JSON(none_as_null=True),
        list[Any]: JSON(none_as_null=True),
    }
