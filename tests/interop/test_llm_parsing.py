"""Replies of real reflection models (trial T11), read by the shipped parser."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from honeyguide.llm.parsing import PromptProblem, clean_prompt_reply

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
TRIAL = DATA / "trials" / "T11-reflection-replies" / "replies.json"
pytestmark = pytest.mark.skipif(not TRIAL.exists(), reason="the shared data are not here")

WITHOUT_PROMPT = {
    "unclosed-think": {PromptProblem.NO_ANSWER},
    "same": {PromptProblem.UNCHANGED},
    "whitespace-only-change": {PromptProblem.UNCHANGED},
    "refusal": {PromptProblem.REFUSAL},
    "cut-off": {PromptProblem.TRUNCATED},
    "empty": {PromptProblem.EMPTY},
}
WITH_INNER_FENCE = "inner-fence-only"
JUDGEMENT_CALLS = {"chatty", "two-blocks"}


def _rows() -> list[dict[str, str]]:
    return json.loads(TRIAL.read_text(encoding="utf-8"))["replies"] if TRIAL.exists() else []


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_reply(row: dict[str, str]) -> None:
    baseline = json.loads(TRIAL.read_text(encoding="utf-8"))["baseline"]
    made = clean_prompt_reply(row["reply"], baseline=baseline, truncated=row["id"] == "cut-off")
    if row["id"] in WITHOUT_PROMPT:
        assert made.problem in WITHOUT_PROMPT[row["id"]]
    elif row["id"] == WITH_INNER_FENCE:
        assert made.text == row["reply"].strip()
    elif row["id"] in JUDGEMENT_CALLS:
        assert made.text == "Answer in one sentence."
    else:
        assert made.text == row["expect"]


def test_a_fence_that_never_closes_is_cut_off_even_when_the_stop_reason_does_not_say_so() -> None:
    (row,) = [row for row in _rows() if row["id"] == "cut-off"]
    assert clean_prompt_reply(row["reply"]).problem is PromptProblem.TRUNCATED
