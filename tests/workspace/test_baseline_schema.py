"""What the structure of answers was before a run, so that a reviewer compares it with something real."""

from __future__ import annotations

from dataclasses import replace

import pytest

from honeyguide.evolution.answer_structure import render_section
from honeyguide.evolution.schema import schema_from_json
from honeyguide.workspace import RunOptions, Workspace

pytestmark = pytest.mark.anyio
FIELDS = {
    "name": "answer",
    "fields": [
        {"name": "summary", "type": "string", "description": "What to do, in one sentence.", "required": True},
        {"name": "steps", "type": "array", "description": "What to do, in order.", "required": False},
    ],
}


async def test_the_structure_before_a_run_is_what_the_live_text_says_or_what_the_run_was_given(
    workspace: Workspace,
) -> None:
    live = (await workspace.target("writer")).text
    found = await workspace.evolve("writer", RunOptions(preset="quick", candidate_text=live + " ", min_delta=-1))
    detail = await workspace.run(found.uuid)
    assert detail.run is not None
    assert detail.baseline_schema() is None, "a text that says nothing of it has none: every field is new"
    schema = schema_from_json(FIELDS)
    saying = replace(detail, run=replace(detail.run, baseline_text=f"{live}\n\n{render_section(schema)}"))
    before = saying.baseline_schema()
    assert before is not None and [field["name"] for field in before["fields"]] == ["summary", "steps"]
    assert saying.to_json()["baselineSchema"] == before
    given = replace(detail, attempt=replace(detail.attempt, options={**detail.attempt.options,
                                                                     "schema_baseline": FIELDS}))  # fmt: skip
    assert given.baseline_schema() == FIELDS
