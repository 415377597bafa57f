import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.evolution.schema_mutations import (
    add_constraint,
    add_output_field,
    change_field_type,
    edit_field_desc,
    remove_constraint,
    remove_field,
    reorder_fields,
    replace_output_fields,
)
from honeyguide.kernel.errors import InvalidInput


def schema(*names):
    return Schema("s", tuple(SchemaField(name) for name in names))


def names(changed):
    return [field.name for field in changed.fields]


@pytest.mark.parametrize(
    ("fields", "order", "expected"),
    [
        ("abc", ["b"], "bac"),
        ("ab", ["unknown", "a", "b"], "ab"),
        ("abc", ["c", "c", "a"], "cab"),
        ("abc", [], "abc"),
    ],
)
def test_reorder_puts_the_named_first_and_keeps_the_rest(fields, order, expected):
    assert names(reorder_fields(schema(*fields), order)) == list(expected)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=12))
def test_reorder_neither_loses_nor_doubles_a_field(order):
    assert sorted(names(reorder_fields(schema(*"abcdef"), order))) == list("abcdef")


def test_every_mutation_makes_the_next_version_even_when_nothing_changes():
    one = schema("answer", "note")
    limit = FieldConstraint(ConstraintKind.MAX_LENGTH, 5)
    changed = [
        add_output_field(one, SchemaField("more")),
        remove_field(one, "unknown"),
        edit_field_desc(one, "unknown", "x"),
        change_field_type(one, "note", FieldType.NUMBER),
        add_constraint(one, "note", limit),
        remove_constraint(one, "note", 3),
        reorder_fields(one, []),
        replace_output_fields(one, [SchemaField("answer")]),
    ]
    assert [s.version for s in changed] == [2] * 8
    assert one == schema("answer", "note")


def test_fields_are_added_where_asked():
    assert names(add_output_field(schema("a", "b"), SchemaField("c"), 0)) == ["c", "a", "b"]
    assert names(add_output_field(schema("a", "b"), SchemaField("c"))) == ["a", "b", "c"]


def test_constraints_are_removed_by_their_place():
    one = add_constraint(schema("a"), "a", FieldConstraint(ConstraintKind.MIN_LENGTH, 1))
    two = add_constraint(one, "a", FieldConstraint(ConstraintKind.MAX_LENGTH, 9))
    assert [c.value for c in remove_constraint(two, "a", 0).fields[0].constraints] == [9]


def test_the_field_that_carries_the_answer_can_never_be_lost():
    one = schema("reasoning", "answer")
    with pytest.raises(InvalidInput, match="carries the answer"):
        remove_field(one, "answer")
    with pytest.raises(InvalidInput, match="carries the answer"):
        replace_output_fields(one, [SchemaField("reasoning")])


def test_a_field_with_a_taken_name_is_refused():
    with pytest.raises(InvalidInput):
        add_output_field(schema("answer"), SchemaField("answer"))
