import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.schema import (
    ConstraintKind,
    FieldConstraint,
    FieldType,
    Schema,
    SchemaField,
    default_schema,
    schema_from_json,
)
from honeyguide.kernel.errors import InvalidInput


def field(name, chars=0, constraints=0):
    return SchemaField(
        name, description="d" * chars, constraints=(FieldConstraint(ConstraintKind.MAX_LENGTH, 9),) * constraints
    )


@pytest.mark.parametrize(
    ("fields", "complexity"),
    [
        ([field("a")], 1),
        ([field("a", 20), field("b", 20), field("c", 20)], 3.6),
        ([field("a", 5, 1)], 1.35),
        ([*default_schema().fields], 2.81),
    ],
)
def test_complexity_counts_fields_constraints_and_description_characters(fields, complexity):
    assert Schema("s", tuple(fields)).complexity == pytest.approx(complexity)


@pytest.mark.parametrize("name", ["", "1st", "a b", "a.b", "x" * 65, "a\n", '"a"'])
def test_a_malformed_field_name_is_refused(name):
    with pytest.raises(InvalidInput):
        SchemaField(name)


def test_two_fields_with_one_name_are_refused():
    with pytest.raises(InvalidInput, match="two fields named 'a'"):
        Schema("s", (field("a"), field("a")))


def test_a_schema_needs_a_field():
    with pytest.raises(InvalidInput, match="no field"):
        Schema("s", ())


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        (["reasoning", "answer"], "answer"),
        (["notes", "final_result"], "final_result"),
        (["summary", "details"], "summary"),
    ],
)
def test_the_answers_field_is_found_by_name_else_by_being_required(fields, answer):
    assert Schema("s", tuple(field(name) for name in fields)).answer_field.name == answer


def test_default_schema_is_reasoning_then_answer_in_the_seeds_spelling():
    data = default_schema().to_json()
    assert (data["name"], data["version"]) == ("generic_baseline", 1)
    assert [(f["name"], f["type"], f["required"]) for f in data["fields"]] == [
        ("reasoning", "string", False),
        ("answer", "string", True),
    ]


CONSTRAINTS = st.one_of(
    st.builds(FieldConstraint, st.just(ConstraintKind.MIN_LENGTH), st.integers(0, 500)),
    st.builds(FieldConstraint, st.just(ConstraintKind.PATTERN), st.text(max_size=20)),
    st.builds(FieldConstraint, st.just(ConstraintKind.ENUM), st.lists(st.text(max_size=8), max_size=4).map(tuple)),
    st.builds(FieldConstraint, st.just(ConstraintKind.RANGE), st.floats(allow_nan=False, allow_infinity=False)),
)
FIELDS = st.builds(
    SchemaField,
    st.from_regex(r"[a-zé][a-z_0-9-]{0,8}", fullmatch=True),
    st.sampled_from(FieldType),
    st.text(max_size=60),
    st.booleans(),
    st.lists(CONSTRAINTS, max_size=3).map(tuple),
)
SCHEMAS = st.lists(FIELDS, min_size=1, max_size=6, unique_by=lambda f: f.name).map(lambda fs: Schema("s", tuple(fs), 3))


@given(SCHEMAS)
def test_json_gives_back_the_schema(schema):
    assert schema_from_json(json.loads(json.dumps(schema.to_json()))) == schema


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"name": "s"},
        {"name": "s", "fields": "x"},
        {"name": 1, "fields": [{"name": "a"}]},
        {"name": "s", "fields": []},
        {"name": "s", "version": "1", "fields": [{"name": "a"}]},
        {"name": "s", "fields": [{"name": "a", "type": "text"}]},
        {"name": "s", "fields": [{"name": "a", "required": "yes"}]},
        {"name": "s", "fields": [{"name": "a", "constraints": [{"kind": "most", "value": 1}]}]},
        {"name": "s", "fields": [{"name": "a", "constraints": [{"kind": "enum", "value": [1]}]}]},
        {"name": "s", "fields": [{"name": "a", "constraints": [{"kind": "range", "value": True}]}]},
        {"name": "s", "fields": [{"name": "a"}, {"name": "a"}]},
    ],
)
def test_other_json_is_refused(value):
    with pytest.raises(InvalidInput):
        schema_from_json(value)
