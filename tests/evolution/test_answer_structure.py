import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.answer_structure import AnswerStyle, read_section, render_fields, render_section
from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from tests.evolution.test_schema import SCHEMAS


def test_a_field_is_rendered_with_its_type_need_description_and_constraints():
    schema = Schema(
        "s",
        (
            SchemaField("answer", description="The reply."),
            SchemaField(
                "mood",
                FieldType.ENUM,
                "How it sounds.",
                required=False,
                constraints=(
                    FieldConstraint(ConstraintKind.ENUM, ("calm", "very calm")),
                    FieldConstraint(ConstraintKind.MAX_LENGTH, 9),
                ),
            ),
            SchemaField("n", FieldType.NUMBER, constraints=(FieldConstraint(ConstraintKind.RANGE, "0..1"),)),
        ),
    )
    assert render_fields(schema).splitlines() == [
        '- "answer" (string, required): The reply.',
        '- "mood" (enum, optional): How it sounds. Constraints: enum=[calm, "very calm"], maxLength=9',
        '- "n" (number, required): Constraints: range=0..1',
    ]


@given(SCHEMAS, st.sampled_from(AnswerStyle), st.sampled_from(["", "Be kind.", "Be kind.\n\n- Rule", "x\n"]))
def test_a_section_is_read_back_from_the_end_of_a_prompt(schema, style, prompt):
    section = render_section(schema, style)
    whole = f"{prompt}\n\n{section}" if prompt else section
    instruction, read = read_section(whole)
    assert instruction == prompt
    assert read is not None
    assert render_section(read, style) == section


@pytest.mark.parametrize(
    "text",
    [
        "Be kind.",
        "Be kind.\n\n## Answer structure\n\nWhatever you like.",
        '## Answer structure\n\nMy own words.\n- "answer" (string, required)',
        "Be kind.\n\n" + render_section(Schema("s", (SchemaField("a"),))) + "\n\nAnd one more rule.",
        "Be kind.\n\n" + render_section(Schema("s", (SchemaField("a"),))) + '\n- "a" (string, required)',
    ],
)
def test_what_is_no_section_of_ours_stays_part_of_the_prompt(text):
    assert read_section(text) == (text, None)
