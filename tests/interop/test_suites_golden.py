"""The same counts, refusals and verdicts as the recorded tables."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from honeyguide.feedback import FailureClass
from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites import Attempt, SuiteOutcome
from honeyguide.suites.runner import judged_by_exit
from honeyguide.suites.typescript import draft_ids, inspect

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")) / "mdflow"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded tables are not here")


def _rows(name: str) -> list[dict[str, Any]]:
    path = DATA / "golden" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


@pytest.mark.parametrize("row", _rows("static_plan.json"), ids=lambda row: row["name"])
def test_a_suite_is_planned_or_refused_as_recorded(row):
    if "error" in row["policy1"]:
        with pytest.raises(InvalidInput):
            inspect(row["source"], "suite")
        return
    plan = inspect(row["source"], "suite")
    assert {"cases": [case.to_json() for case in plan.cases], "invocations": plan.invocations} == row["policy1"]["ok"]
    assert inspect(row["source"], "suite", repetitions=3).invocations == row["policy3_invocations"]


@pytest.mark.parametrize("row", _rows("draft_detection.json")[1:])
def test_drafts_are_found_as_recorded(row):
    assert list(draft_ids(row["source_head"])) == row["ids"]


def test_drafts_of_a_whole_managed_suite_are_named_by_their_regions():
    """The first recorded row holds only the head of a suite; its regions are written out here."""
    regions = "".join(
        f"  // mdflow:case:start {name}\n  {{ name: MDFLOW_DRAFT_CASE }},\n  // mdflow:case:end {name}\n"
        for name in _rows("draft_detection.json")[0]["ids"]
    )
    source = f"const cases: EvalCase[] = [\n{regions}  // mdflow:case:insert\n];\nexport default cases;\n"
    assert list(draft_ids(source)) == _rows("draft_detection.json")[0]["ids"]


@pytest.mark.parametrize("row", [row for row in _rows("exit_classification.json") if "run" in row])
def test_exits_are_classified_as_recorded(row):
    run = row["run"]
    failure = run.get("failureClass")
    attempt = Attempt(
        "", "", run["exitCode"], run.get("timedOut", False), FailureClass(failure) if failure else None
    )  # fmt: skip
    verdict = judged_by_exit(attempt, allow_non_zero=row["allowNonZero"], timeout_ms=180_000)
    assert (verdict.status if verdict else "pass") == row["status"]
    assert (verdict.reason if verdict else None) == row.get("reason")


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("runs/**/*-results.json")), ids=lambda path: "/".join(path.parts[-3:-1])
)
def test_recorded_results_mean_to_us_what_they_meant_there(path):
    recorded = json.loads(path.read_text(encoding="utf-8"))
    mine = SuiteOutcome.from_json(recorded).to_json()
    for key in ("pass", "fail", "inconclusive", "flaky", "total"):
        assert mine[key] == recorded[key]
    for ours, theirs in zip(mine["cases"], recorded["cases"], strict=True):
        assert {k: ours[k] for k in ("name", "status", "passCount", "flaky", "quorum")} == {
            k: theirs[k] for k in ("name", "status", "passCount", "flaky", "quorum")
        }
