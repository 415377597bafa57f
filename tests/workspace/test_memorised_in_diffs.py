"""What a text copies from the cases of its search is refused, and shown where a person looks at the change."""

from __future__ import annotations

import pytest

from honeyguide.workspace import RunOptions

pytestmark = pytest.mark.anyio


async def leaking(workspace, tmp_path):
    """Return the planner's text with eight words of a training case behind it, and those words."""
    import json

    file = tmp_path / "rows.jsonl"
    await workspace.build_dataset("planner", seed=1, out=file)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    words = next(
        row["input"].split()[:9] for row in rows
        if row["metadata"]["split"] == "train" and row["metadata"]["source"] == "trace"
    )  # fmt: skip
    copied = " ".join(words)
    return f"{(await workspace.target('planner')).text}\n- {copied}", copied


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_copied_case_is_refused_unless_allowed_and_always_shown_in_the_diff(workspace, tmp_path, allowed):
    text, copied = await leaking(workspace, tmp_path)
    result = await workspace.evolve("planner", RunOptions(candidate_text=text, allow_memorised=allowed, preset="quick"))
    view = await workspace.run_diff(result.uuid)
    shown = [view.after[span["start"] : span["end"]] for span in view.to_json()["memorised"]]
    assert any(copied.startswith(piece.split()[0]) and len(piece.split()) >= 8 for piece in shown)
    gate = next(g for g in result.to_json()["gateResults"] if g["gate"] == "memorised")
    assert gate["verdict"] == ("pass" if allowed else "fail")
    assert ("a person allowed it" in gate["reason"]) is allowed
