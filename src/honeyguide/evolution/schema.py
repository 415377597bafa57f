"""The structure of an answer: named, typed fields in order, with what is demanded of each.

JSON spelling, complexity and the default schema follow the first seed, section 3.5 and 4.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from honeyguide.kernel.errors import InvalidInput

MAX_FIELDS = 40
COST_PER_FIELD = 1.0
COST_PER_CONSTRAINT = 0.3
COST_PER_DESCRIPTION_CHARACTER = 0.01
_NAME = re.compile(r"[^\W\d][\w-]{0,63}")
_ANSWER_LIKE = re.compile(r"answer|reply|response|result|output", re.IGNORECASE)


class FieldType(StrEnum):
    """What a field holds."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    ENUM = "enum"


class ConstraintKind(StrEnum):
    """What can be demanded of a field."""

    MIN_LENGTH = "minLength"
    MAX_LENGTH = "maxLength"
    PATTERN = "pattern"
    ENUM = "enum"
    RANGE = "range"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class FieldConstraint:
    """One demand: a length, a pattern, a list of choices, a range ``LOW..HIGH``, or words."""

    kind: ConstraintKind
    value: str | int | float | tuple[str, ...]

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or (isinstance(self.value, float) and not math.isfinite(self.value)):
            raise InvalidInput(f"{self.value!r} is no value for the constraint {self.kind.value}.")

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "value": list(self.value) if isinstance(self.value, tuple) else self.value}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One part of an answer."""

    name: str
    type: FieldType = FieldType.STRING
    description: str = ""
    required: bool = True
    constraints: tuple[FieldConstraint, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(
                f"{self.name[:80]!r} cannot name a field.",
                hint="Use 1 to 64 letters, digits, - or _, beginning with a letter.",
            )

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "type": self.type.value,
            "description": self.description,
            "required": self.required,
            "constraints": [constraint.to_json() for constraint in self.constraints],
        }


@dataclass(frozen=True, slots=True)
class Schema:
    """Fields in the order in which an answer gives them. Names are unique; at least one field.

    Raises:
        InvalidInput: no field, too many, or two with one name.
    """

    name: str
    fields: tuple[SchemaField, ...]
    version: int = 1

    def __post_init__(self) -> None:
        if not self.fields:
            raise InvalidInput(f"The schema {self.name!r} has no field.", hint="Give it at least one.")
        if len(self.fields) > MAX_FIELDS:
            raise InvalidInput(f"The schema {self.name!r} has more than {MAX_FIELDS} fields.")
        seen: set[str] = set()
        for field in self.fields:
            if field.name in seen:
                raise InvalidInput(
                    f"The schema {self.name!r} has two fields named {field.name!r}.",
                    hint="Give every field its own name.",
                )
            seen.add(field.name)

    @property
    def complexity(self) -> float:
        """1 per field, 0.3 per constraint and 0.01 per character of description."""
        return sum(
            COST_PER_FIELD
            + COST_PER_CONSTRAINT * len(field.constraints)
            + COST_PER_DESCRIPTION_CHARACTER * len(field.description)
            for field in self.fields
        )

    @property
    def answer_field(self) -> SchemaField:
        """The field that carries the answer itself: by its name, else the first required one, else the first."""
        named = [field for field in self.fields if field.name.lower() == "answer"]
        named += [field for field in self.fields if field.required and _ANSWER_LIKE.search(field.name)]
        return next(iter([*named, *(field for field in self.fields if field.required), *self.fields]))

    def same_structure(self, other: Schema) -> bool:
        """Say whether both demand the same of an answer, whatever their name and version."""
        return self.fields == other.fields

    def to_json(self) -> dict[str, Any]:
        """Return the seed's JSON: ``{name, version, fields: [{name, type, description, required, constraints}]}``."""
        return {"name": self.name, "version": self.version, "fields": [field.to_json() for field in self.fields]}


def schema_from_json(value: object) -> Schema:
    """Read the seed's JSON; missing ``version``, ``description``, ``required`` and ``constraints`` get their defaults.

    Raises:
        InvalidInput: the value has another shape, or breaks a rule of ``Schema``.
    """
    data = _mapping(value, "The schema")
    fields = data.get("fields")
    if not isinstance(fields, list):
        raise InvalidInput("The schema has no list of fields.", hint='Write {"name": …, "version": 1, "fields": […]}.')
    version = data.get("version", 1)
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInput("The schema's version is not a whole number.")
    return Schema(_text(data.get("name"), "The schema's name"), tuple(_field(entry) for entry in fields), version)


def default_schema() -> Schema:
    """Return the baseline that every target has until it gets its own: reasoning, if any, then the answer."""
    return Schema(
        "generic_baseline",
        (
            SchemaField("reasoning", description="Brief reasoning which decides the case.", required=False),
            SchemaField("answer", description="The complete answer, as the user reads it."),
        ),
    )


def _field(value: object) -> SchemaField:
    data = _mapping(value, "A field of the schema")
    name = _text(data.get("name"), "A field's name")
    kind = data.get("type", FieldType.STRING.value)
    if kind not in set(FieldType):
        raise InvalidInput(
            f"The field {name!r} has the unknown type {kind!r}.", hint=f"Use one of {', '.join(FieldType)}."
        )
    constraints = data.get("constraints") or []
    if not isinstance(constraints, list):
        raise InvalidInput(f"The constraints of the field {name!r} are not a list.")
    required = data.get("required", True)
    if not isinstance(required, bool):
        raise InvalidInput(f"Whether the field {name!r} is required is neither true nor false.")
    return SchemaField(
        name,
        FieldType(kind),
        _text(data.get("description", ""), f"The description of {name!r}"),
        required,
        tuple(_constraint(entry, name) for entry in constraints),
    )


def _constraint(value: object, field: str) -> FieldConstraint:
    data = _mapping(value, f"A constraint of the field {field!r}")
    kind, demand = data.get("kind"), data.get("value")
    if kind not in set(ConstraintKind):
        raise InvalidInput(
            f"The field {field!r} has the unknown constraint {kind!r}.", hint=f"Use one of {', '.join(ConstraintKind)}."
        )
    if isinstance(demand, list) and all(isinstance(item, str) for item in demand):
        return FieldConstraint(ConstraintKind(kind), tuple(demand))
    if isinstance(demand, (str, int, float)):
        return FieldConstraint(ConstraintKind(kind), demand)
    raise InvalidInput(f"The constraint {kind} of the field {field!r} has no usable value.")


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{what} is not an object.")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what} is not text.")
    return value
