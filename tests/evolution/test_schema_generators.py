import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.evolution.schema_generators import (
    clearer_description,
    order_children,
    refinement_children,
    structure_children,
)
from honeyguide.evolution.schema_mutations import SchemaMutation, add_constraint
from tests.evolution.test_schema import SCHEMAS

M = SchemaMutation


def schema(*names):
    return Schema("s", tuple(SchemaField(name) for name in names))


def names(child):
    return [field.name for field in child.schema.fields]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["answer"], [["reasoning", "answer"], ["answer", "confidence"]]),
        (["reasoning", "answer"], [["reasoning", "answer", "confidence"], ["reasoning", "answer"]]),
    ],
)
def test_structure_gives_room_to_reason_states_confidence_and_collapses(fields, expected):
    assert [names(c) for c in structure_children(schema(*fields), 5, 1)] == expected


def test_structure_drops_the_last_of_more_than_four_fields_but_never_the_answer():
    children = structure_children(schema(*"abcde"), 5, 1)
    assert len(children) == 4
    assert ["a", "b", "c", "d"] in [names(c) for c in children]
    dropped = [c for c in structure_children(schema(*"abcd", "answer"), 9, 1) if c.mutation is M.REMOVE_FIELD]
    assert names(dropped[0]) == ["a", "b", "c", "answer"]


def test_structure_takes_as_many_as_asked_and_the_same_for_the_same_seed():
    draws = [structure_children(schema(*"abcde"), 2, 7, "g", 1) for _ in range(2)]
    assert draws[0] == draws[1]
    assert len(draws[0]) == 2


def test_order_has_nothing_to_do_with_one_field():
    assert order_children(schema("a"), 3, 1) == []


def test_order_moves_reasoning_to_the_front_and_confidence_to_the_end():
    assert names(order_children(schema("answer", "reasoning", "confidence"), 1, 1)[0]) == [
        "reasoning", "answer", "confidence"
    ]  # fmt: skip
    assert ["answer", "reasoning", "confidence"] in [
        names(c) for c in order_children(schema("confidence", "answer", "reasoning"), 4, 1)
    ]


@given(SCHEMAS, st.integers(1, 6), st.integers(0, 99))
def test_orders_are_new_permutations_and_always_end(one, count, seed):
    present = [field.name for field in one.fields]
    orders = [names(c) for c in order_children(one, count, seed)]
    assert len(orders) <= count
    assert present not in orders
    assert all(sorted(order) == sorted(present) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders)


@pytest.mark.parametrize(
    ("feedback", "mutation", "constraint"),
    [
        ("The answer is verbose.", M.ADD_CONSTRAINT, FieldConstraint(ConstraintKind.MAX_LENGTH, 200)),
        ("Too brief, the order number is missing.", M.ADD_CONSTRAINT, FieldConstraint(ConstraintKind.MIN_LENGTH, 20)),
    ],
)
def test_refinement_bounds_the_first_two_text_fields(feedback, mutation, constraint):
    children = refinement_children(schema("a", "b", "c"), [feedback], 9)
    assert [c.mutation for c in children] == [mutation] * 2
    assert [[f.name for f in c.schema.fields if constraint in f.constraints] for c in children] == [["a"], ["b"]]


@pytest.mark.parametrize("feedback", ["The format is off.", "Be kinder.", "The date is missing."])
def test_refinement_otherwise_says_more_clearly_what_a_field_holds(feedback):
    children = refinement_children(schema("a", "b"), [feedback], 1)
    assert [c.mutation for c in children] == [M.EDIT_FIELD_DESC]
    assert children[0].schema.fields[0].description == "Return the value as a string."


def test_refinement_lifts_a_demand_that_pulls_the_other_way():
    one = add_constraint(schema("answer"), "answer", FieldConstraint(ConstraintKind.MAX_LENGTH, 9))
    child = refinement_children(one, ["It is incomplete."], 1)[0]
    assert child.mutation is M.REMOVE_CONSTRAINT
    assert child.schema.fields[0].constraints == ()


@pytest.mark.parametrize(
    ("feedback", "wanted"),
    [
        ("It should be a numbered list.", FieldType.ARRAY),
        ("The result must be given as a number.", FieldType.NUMBER),
        ("This should be yes or no.", FieldType.BOOLEAN),
    ],
)
def test_refinement_changes_the_answers_type_when_asked(feedback, wanted):
    child = refinement_children(schema("answer"), [feedback], 1)[0]
    assert (child.mutation, child.schema.fields[0].type) == (M.CHANGE_FIELD_TYPE, wanted)


@pytest.mark.parametrize(
    ("description", "clearer"),
    [
        ("", "Return the value as a string."),
        ("You must name it.", "You must name it."),
        ("The total", "The total. It must be a string."),
        ("The total!", "The total! It must be a string."),
        ("A mustard order", "A mustard order. It must be a string."),
    ],
)
def test_descriptions_get_clearer_once(description, clearer):
    assert clearer_description(SchemaField("a", description=description)) == clearer
    assert clearer_description(SchemaField("a", description=clearer)) == clearer


def test_all_eight_kinds_are_really_generated():
    bound = add_constraint(schema("answer"), "answer", FieldConstraint(ConstraintKind.MIN_LENGTH, 20))
    children = [
        *structure_children(schema(*"abcde"), 9, 1),
        *order_children(schema("a", "b"), 1, 1),
        *refinement_children(schema("a"), ["verbose"], 1),
        *refinement_children(bound, ["verbose"], 1),
        *refinement_children(schema("a"), ["wrong type"], 1),
        *refinement_children(schema("a"), ["must be a number"], 1),
    ]
    assert {child.mutation for child in children} == set(SchemaMutation)
