"""Which schemas are worth trying next: by structure, by order of fields, and by what went wrong.

Source: first seed, section 4.2, phases A, B and C. Every kind of ``SchemaMutation`` comes out of one of the phases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.evolution.schema_mutations import (
    SchemaMutation,
    add_constraint,
    add_output_field,
    change_field_type,
    edit_field_desc,
    remove_constraint,
    remove_field,
    reorder_fields,
    replace_output_fields,
)
from honeyguide.kernel.choice import sample, shuffled

LONGEST_VALUE = 200
"""Characters: the cap that is tried when answers are too long."""
SHORTEST_VALUE = 20
"""Characters: the floor that is tried when answers are too short."""
MANY_FIELDS = 4
_PERMUTATION_TRIES = 12

_REASONING = re.compile(r"reason|thought|scratch", re.IGNORECASE)
_CONFIDENCE = re.compile(r"confidence|certainty|score", re.IGNORECASE)
_ALREADY_CLEAR = re.compile(r"\b(must|should|return)\b", re.IGNORECASE)
_TOO_LONG = re.compile(r"verbose|too long|wordy|padding|cut it down")
_TOO_SHORT = re.compile(r"\bbrief\b|too brief|incomplete|too short|too terse|lacks detail")
_MISSHAPEN = re.compile(r"format|parse|wrong type")
_WANTED_TYPES: tuple[tuple[re.Pattern[str], FieldType], ...] = (
    (re.compile(r"(should|must) be (given as )?(a |an )?(bulleted |numbered )?(list|array)|one (item|point) per line"),
     FieldType.ARRAY),
    (re.compile(r"(should|must) be (given as )?a (plain |single )?number"), FieldType.NUMBER),
    (re.compile(r"(should|must) be (a )?(yes or no|true or false)"), FieldType.BOOLEAN),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SchemaChild:
    """A schema to try, and the mutation that made it."""

    schema: Schema
    mutation: SchemaMutation


def structure_children(parent: Schema, count: int, seed: int, *path: str | int) -> list[SchemaChild]:
    """Phase A: give room to reason, state a confidence, drop a field, or go back to the essentials."""
    children: list[SchemaChild] = []
    if not any(_REASONING.search(field.name) for field in parent.fields):
        children.append(SchemaChild(add_output_field(parent, _reasoning(), 0), SchemaMutation.ADD_OUTPUT_FIELD))
    if not any(_CONFIDENCE.search(field.name) for field in parent.fields):
        children.append(SchemaChild(add_output_field(parent, _confidence()), SchemaMutation.ADD_OUTPUT_FIELD))
    answer = parent.answer_field
    if len(parent.fields) > MANY_FIELDS:
        spare = next(field for field in reversed(parent.fields) if field is not answer)
        children.append(SchemaChild(remove_field(parent, spare.name), SchemaMutation.REMOVE_FIELD))
    if len(parent.fields) >= 2:
        essentials = [_reasoning(), answer] if answer.name != "reasoning" else [answer]
        children.append(SchemaChild(replace_output_fields(parent, essentials), SchemaMutation.REPLACE_OUTPUT_FIELDS))
    return children if len(children) <= count else sample(seed, children, count, *path, "structure")


def order_children(parent: Schema, count: int, seed: int, *path: str | int) -> list[SchemaChild]:
    """Phase B: reasoning before the answer, confidence after it, then other orders; never the present one."""
    names = [field.name for field in parent.fields]
    if len(names) < 2:
        return []
    orders: list[list[str]] = []
    reasoning = next((name for name in names if _REASONING.search(name)), None)
    if reasoning is not None and names[0] != reasoning:
        orders.append([reasoning, *(name for name in names if name != reasoning)])
    confidence = next((name for name in names if re.search(r"confidence|certainty", name, re.IGNORECASE)), None)
    if confidence is not None and names[-1] != confidence:
        orders.append([*(name for name in names if name != confidence), confidence])
    for attempt in range(_PERMUTATION_TRIES):
        if len(orders) >= count:
            break
        order = shuffled(seed, names, *path, "permutation", attempt)
        if order != names and order not in orders:
            orders.append(order)
    chosen = orders if len(orders) <= count else sample(seed, orders, count, *path, "order")
    return [SchemaChild(reorder_fields(parent, order), SchemaMutation.REORDER_FIELDS) for order in chosen]


def refinement_children(parent: Schema, feedback: Sequence[str], count: int) -> list[SchemaChild]:
    """Phase C: what the feedback on the worst answers asks for, in the order of the complaints."""
    said = " ".join(feedback).lower()
    children: list[SchemaChild] = []
    if _TOO_LONG.search(said):
        children += _bound(parent, ConstraintKind.MAX_LENGTH, LONGEST_VALUE, opposite=ConstraintKind.MIN_LENGTH)
    if _TOO_SHORT.search(said):
        children += _bound(parent, ConstraintKind.MIN_LENGTH, SHORTEST_VALUE, opposite=ConstraintKind.MAX_LENGTH)
    for wanted, type_ in _WANTED_TYPES:
        answer = parent.answer_field
        if wanted.search(said) and answer.type is not type_:
            child = change_field_type(parent, answer.name, type_)
            children.append(SchemaChild(child, SchemaMutation.CHANGE_FIELD_TYPE))
    if _MISSHAPEN.search(said):
        children += _clarified(parent, parent.fields[:2])
    if not children:
        children = _clarified(parent, parent.fields[:1])
    return children[: max(count, 0)]


def clearer_description(field: SchemaField) -> str:
    """Return a description that says which type is demanded; unchanged when it already demands something."""
    text = field.description.strip()
    if not text:
        return f"Return the value as {_article(field.type)}."
    if _ALREADY_CLEAR.search(text):
        return field.description
    return f"{text}{'' if text[-1] in '.!?' else '.'} It must be {_article(field.type)}."


def _bound(parent: Schema, kind: ConstraintKind, value: int, *, opposite: ConstraintKind) -> list[SchemaChild]:
    """For the first two text fields: lift the demand that pulls the other way, else add this one once."""
    children = []
    for field in [field for field in parent.fields if field.type is FieldType.STRING][:2]:
        kinds = [constraint.kind for constraint in field.constraints]
        if opposite in kinds:
            child = remove_constraint(parent, field.name, kinds.index(opposite))
            children.append(SchemaChild(child, SchemaMutation.REMOVE_CONSTRAINT))
        elif kind not in kinds:
            child = add_constraint(parent, field.name, FieldConstraint(kind, value))
            children.append(SchemaChild(child, SchemaMutation.ADD_CONSTRAINT))
    return children


def _clarified(parent: Schema, fields: Sequence[SchemaField]) -> list[SchemaChild]:
    children = []
    for field in fields:
        text = clearer_description(field)
        if text != field.description:
            children.append(SchemaChild(edit_field_desc(parent, field.name, text), SchemaMutation.EDIT_FIELD_DESC))
    return children


def _article(type_: FieldType) -> str:
    words = {FieldType.ENUM: "one of the listed choices", FieldType.ARRAY: "an array", FieldType.OBJECT: "an object"}
    return words.get(type_, f"a {type_.value}")


def _reasoning() -> SchemaField:
    return SchemaField("reasoning", description="What decides the case, in one or two sentences.")


def _confidence() -> SchemaField:
    return SchemaField(
        "confidence",
        FieldType.NUMBER,
        "How sure the answer is.",
        required=False,
        constraints=(FieldConstraint(ConstraintKind.RANGE, "0..1"),),
    )
