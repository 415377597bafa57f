from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.datasets import build_dataset, make_example, rubric_from_correction
from honeyguide.evals.examples import CheckSpec, Dataset, Example, ExpectationRole
from honeyguide.evals.rows import read_jsonl, to_row, to_rows, write_jsonl
from honeyguide.traces.records import Trace, TraceFacts, TraceOutcome, TracePayload

CORRECTED = Trace(
    TracePayload("Where is my parcel?", "No idea, sorry.", correction_feedback="Give the tracking link."),
    TraceOutcome.CORRECTED,
    facts=TraceFacts(conversation="c1"),
)


def test_a_correction_stands_in_the_row_as_the_person_wrote_it():
    [row] = to_rows(build_dataset([CORRECTED]))
    assert set(row) == {"input", "expected_output", "metadata"}
    assert row["expected_output"] == "Give the tracking link."
    assert row["metadata"]["role"] == "rubric"
    assert row["metadata"]["rejected"] == "No idea, sorry."
    assert row["metadata"]["split"] == "holdout"


def test_good_lines_are_read_and_bad_ones_reported():
    text = "\n".join(
        [
            '{"input": "a", "expected_output": "b", "metadata": {"source": "trace"}}',
            "{broken",
            "",
            '{"input": "c", "expected_output": "d", "metadata": {}}\r',
            '{"input": "e"}',
            '{"input": "e", "expected_output": "f"}',
            "[1]",
        ]
    )
    read = read_jsonl("\ufeff" + text)
    assert [e.input for e in read.examples] == ["a", "c"]
    assert read.skipped == {2: "not JSON", 5: "no expected_output", 6: "no metadata", 7: "not an object"}


def test_a_dataset_comes_back_from_its_rows():
    [row] = to_rows(build_dataset([CORRECTED]))
    [example] = read_jsonl(write_jsonl([row])).examples
    assert example.expected == rubric_from_correction("Give the tracking link.")
    assert example == build_dataset([CORRECTED]).holdout[0]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(
    texts,
    texts,
    st.sampled_from(list(ExpectationRole)),
    st.none() | texts,
    texts,
    st.lists(st.builds(CheckSpec, texts, st.integers() | texts, texts), max_size=2),
)
def test_any_example_survives_the_way_through_a_file(given_, expected, role, rejected, conversation, checks):
    made = make_example(given_, expected, role=role, rejected=rejected, conversation=conversation)
    example = Example(made.id, made.input, made.expected, role, rejected, tuple(checks), conversation, made.metadata)
    line = write_jsonl([to_row(example)])
    assert "\n" not in line[:-1]
    assert read_jsonl(line).examples == (example,)


def test_rows_name_their_split():
    dataset = Dataset(
        train=(make_example("one one one", "x"),), validation=(), holdout=(make_example("two", "y"),), seed=1
    )
    rows = [json.loads(line) for line in write_jsonl(to_rows(dataset)).splitlines()]
    assert [row["metadata"]["split"] for row in rows] == ["train", "holdout"]
