"""Whether an answer given as JSON keeps a schema; a program that asked for fields can use no other answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.matching import Match, search
from honeyguide.llm.parsing import pick_object

_HAS_TYPE: Mapping[FieldType, Callable[[Any], bool]] = {
    FieldType.STRING: lambda value: isinstance(value, str),
    FieldType.ENUM: lambda value: isinstance(value, str),
    FieldType.NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    FieldType.BOOLEAN: lambda value: isinstance(value, bool),
    FieldType.ARRAY: lambda value: isinstance(value, list),
    FieldType.OBJECT: lambda value: isinstance(value, dict),
}


def conforms(schema: Schema, answer: str) -> bool:
    """Say whether ``answer`` holds an object with the fields of ``schema``, typed and within their constraints.

    Fences and words around the object are allowed. Constraints in words (``custom``) cannot be checked and are not.
    """
    return pick_object(answer, lambda found: found if not breaches(schema, found) else None) is not None


def breaches(schema: Schema, found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each rule of ``schema`` that an object breaks."""
    said = []
    for field in schema.fields:
        value = found.get(field.name)
        if value is None:
            if field.required:
                said.append(f"{field.name} is missing.")
        elif not _HAS_TYPE[field.type](value):
            said.append(f"{field.name} is no {field.type.value}.")
        else:
            said += [f"{field.name} breaks {c.kind.value}." for c in field.constraints if not _holds(c, field, value)]
    known = {field.name for field in schema.fields}
    return said + [f"{name} was not asked for." for name in found if name not in known]


def _holds(constraint: FieldConstraint, field: SchemaField, value: Any) -> bool:
    demand = constraint.value
    match constraint.kind:
        case ConstraintKind.MIN_LENGTH:
            return not hasattr(value, "__len__") or len(value) >= _number(demand)
        case ConstraintKind.MAX_LENGTH:
            return not hasattr(value, "__len__") or len(value) <= _number(demand)
        case ConstraintKind.ENUM:
            choices = demand if isinstance(demand, tuple) else (str(demand),)
            return all(item in choices for item in (value if isinstance(value, list) else [value]))
        case ConstraintKind.RANGE:
            low, _, high = str(demand).partition("..")
            return field.type is not FieldType.NUMBER or _number(low, -1e308) <= value <= _number(high, 1e308)
        case ConstraintKind.PATTERN:
            return not isinstance(value, str) or _matches(str(demand), value)
        case ConstraintKind.CUSTOM:
            return True


def _number(demand: object, otherwise: float = 0.0) -> float:
    try:
        return float(str(demand))
    except ValueError:
        return otherwise


def _matches(pattern: str, value: str) -> bool:
    """A pattern that is invalid or takes too long to check breaks nothing: nobody may say that it was broken."""
    try:
        return search(pattern, value) is not Match.ABSENT
    except InvalidInput:
        return True
