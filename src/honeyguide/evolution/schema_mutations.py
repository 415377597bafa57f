"""The eight ways to change a schema, each a pure function that returns the next version.

A change that would lose the answer itself is refused: whatever else goes, the field that carries it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum

from honeyguide.evolution.schema import FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.kernel.errors import InvalidInput


class SchemaMutation(StrEnum):
    """The kinds, spelled as the first seed spells them."""

    ADD_OUTPUT_FIELD = "add_output_field"
    REMOVE_FIELD = "remove_field"
    EDIT_FIELD_DESC = "edit_field_desc"
    CHANGE_FIELD_TYPE = "change_field_type"
    ADD_CONSTRAINT = "add_constraint"
    REMOVE_CONSTRAINT = "remove_constraint"
    REORDER_FIELDS = "reorder_fields"
    REPLACE_OUTPUT_FIELDS = "replace_output_fields"


def add_output_field(schema: Schema, field: SchemaField, position: int | None = None) -> Schema:
    """Add ``field`` at ``position``, or at the end. Raises InvalidInput when the name is taken."""
    fields = list(schema.fields)
    fields.insert(len(fields) if position is None else position, field)
    return _next(schema, fields)


def remove_field(schema: Schema, name: str) -> Schema:
    """Remove the field ``name``; an unknown name changes nothing. Raises InvalidInput for the answer's field."""
    if name == schema.answer_field.name:
        raise InvalidInput(f"The field {name!r} carries the answer and cannot be removed.")
    return _next(schema, (field for field in schema.fields if field.name != name))


def edit_field_desc(schema: Schema, name: str, description: str) -> Schema:
    """Give the field ``name`` another description."""
    return _change(schema, name, lambda field: replace(field, description=description))


def change_field_type(schema: Schema, name: str, type_: FieldType) -> Schema:
    """Give the field ``name`` another type."""
    return _change(schema, name, lambda field: replace(field, type=type_))


def add_constraint(schema: Schema, name: str, constraint: FieldConstraint) -> Schema:
    """Add a demand to the field ``name``."""
    return _change(schema, name, lambda field: replace(field, constraints=(*field.constraints, constraint)))


def remove_constraint(schema: Schema, name: str, index: int) -> Schema:
    """Remove the demand at ``index`` from the field ``name``; an index out of range changes nothing."""
    return _change(
        schema,
        name,
        lambda field: replace(
            field, constraints=tuple(entry for i, entry in enumerate(field.constraints) if i != index)
        ),
    )


def reorder_fields(schema: Schema, order: Sequence[str]) -> Schema:
    """Put the named fields first, in that order; unknown names and repeats are ignored, the rest keeps its order."""
    by_name = {field.name: field for field in schema.fields}
    first = [by_name[name] for name in dict.fromkeys(order) if name in by_name]
    return _next(schema, [*first, *(field for field in schema.fields if field not in first)])


def replace_output_fields(schema: Schema, fields: Sequence[SchemaField]) -> Schema:
    """Replace all fields. Raises InvalidInput unless the answer's field is among the new ones."""
    if schema.answer_field.name not in {field.name for field in fields}:
        raise InvalidInput(f"The field {schema.answer_field.name!r} carries the answer and must stay.")
    return _next(schema, fields)


def _change(schema: Schema, name: str, change: Callable[[SchemaField], SchemaField]) -> Schema:
    return _next(schema, (change(field) if field.name == name else field for field in schema.fields))


def _next(schema: Schema, fields: Iterable[SchemaField]) -> Schema:
    return Schema(schema.name, tuple(fields), schema.version + 1)
