"""From rows to records: a record's fields are the columns that are read, in their order, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from honeyguide.storage.tables import Base

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AnySelect: TypeAlias = "Select[*tuple[Any, ...]]"
"""A select of any columns."""
R = TypeVar("R", bound="DataclassInstance")


def columns(table: type[Base], record: type[R], **renamed: Any) -> list[Any]:
    """Return the columns of ``table`` for the fields of ``record``; ``renamed`` gives the expression of a field."""
    return [renamed[f.name] if f.name in renamed else getattr(table, f.name) for f in fields(record)]


def select_record(table: type[Base], record: type[R], **renamed: Any) -> AnySelect:
    """Return a select of exactly the fields of ``record``."""
    return select(*columns(table, record, **renamed))


def fetch(session: Session, statement: AnySelect, record: type[R]) -> list[R]:
    """Run ``statement``, whose columns are the fields of ``record``, and return the records."""
    return [record(*row) for row in session.execute(statement)]


def fetch_one(session: Session, statement: AnySelect, record: type[R]) -> R | None:
    """Return the first record of ``statement``, or ``None``."""
    row = session.execute(statement.limit(1)).first()
    return None if row is None else record(*row)


def values(record: DataclassInstance) -> dict[str, Any]:
    """Return the fields of ``record`` as values for an insert (mappings and sequences become plain JSON data)."""
    return {f.name: _plain(getattr(record, f.name)) for f in fields(record)}


def escaped_like(words: str) -> str:
    r"""Return a LIKE pattern (escape character ``\``) that finds ``words`` anywhere."""
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
