import json

import pytest

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.evolution.schema_conformity import breaches, conforms

K, T = ConstraintKind, FieldType


def schema(type_=T.STRING, *constraints, required=True):
    return Schema("s", (SchemaField("a", type_, required=required, constraints=constraints),))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ('{"a": "x"}', True),
        ('```json\n{"a": "x"}\n```', True),
        ('Here you are: {"a": "x"}', True),
        ('{"a": 1}', False),
        ('{"b": "x"}', False),
        ('{"a": "x", "b": 1}', False),
        ("x", False),
        ('{"a": "x"', False),
    ],
)
def test_an_answer_keeps_a_schema_as_an_object_with_its_fields(answer, kept):
    assert conforms(schema(), answer) is kept


def test_an_optional_field_may_be_missing_or_null():
    assert breaches(schema(required=False), {}) == breaches(schema(required=False), {"a": None}) == []


@pytest.mark.parametrize(
    ("type_", "constraint", "good", "bad"),
    [
        (T.STRING, FieldConstraint(K.MIN_LENGTH, 2), "xx", "x"),
        (T.ARRAY, FieldConstraint(K.MAX_LENGTH, 1), [1], [1, 2]),
        (T.ENUM, FieldConstraint(K.ENUM, ("p", "q")), "q", "r"),
        (T.NUMBER, FieldConstraint(K.RANGE, "0..1"), 1, 1.5),
        (T.STRING, FieldConstraint(K.PATTERN, "^x+$"), "xx", "xy"),
    ],
)
def test_constraints_are_checked(type_, constraint, good, bad):
    assert breaches(schema(type_, constraint), {"a": good}) == []
    assert breaches(schema(type_, constraint), {"a": bad}) == [f"a breaks {constraint.kind.value}."]


@pytest.mark.parametrize(("pattern", "value"), [("(", "x"), ("y" * 20_000, "x")])
def test_a_pattern_that_cannot_be_checked_breaks_nothing(pattern, value):
    assert conforms(schema(T.STRING, FieldConstraint(K.PATTERN, pattern)), json.dumps({"a": value}))
