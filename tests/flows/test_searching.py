"""The instruction search as the proposer of a flow: several prompts, the best of them proved like any other."""

from __future__ import annotations

import pytest

from honeyguide.flows.planning import ReasonCode
from honeyguide.flows.runs import RunStatus as S
from honeyguide.flows.search_size import SearchSize
from honeyguide.kernel.errors import InvalidInput
from tests.flows.conftest import FLOW, Bench

ROOMY = FLOW.replace("engine: claude", "engine: claude\nevolve: {mode: propose, budget: {max-invocations: 60}}")


def _ready(bench: Bench) -> str:
    bench.write(ROOMY)
    item = bench.complain()
    bench.cases(
        f"{{name: answers green, evidence: [{item.id}], checks: [{{contains: GREEN}}]}}",
        "{name: stays short, checks: [{length: 20}]}",
    )
    return item.id


def test_the_calls_of_a_search_are_counted_before_it_begins(bench):
    _ready(bench)
    plan = bench.plan(search=SearchSize(2, 1))
    assert plan.planned == 2 + 2 * (1 + 2) + 2
    stages = {stage["name"]: stage["calls"] for stage in plan.to_json()["stages"]}
    assert stages == {"current": 2, "maintainer": 2, "search": 4, "proposal": 2}
    assert plan.planned == sum(stages.values())
    bench.write(FLOW)
    bench.complain()
    assert bench.plan(search=SearchSize(2, 1)).decision.code is ReasonCode.BUDGET_EXCEEDED
    with pytest.raises(InvalidInput):
        bench.plan(search=SearchSize(2, 1), candidates=2)
    with pytest.raises(InvalidInput):
        SearchSize(0, 1)


def test_what_the_search_finds_is_proved_on_trials_of_its_own(bench):
    id = _ready(bench)
    bench.engine.reply("Say GREEN.")
    run = bench.propose(search=SearchSize(2, 2))
    assert run.status is S.VERIFIED_IMPROVEMENT
    assert run.target_evidence_ids == (id,)
    assert run.actual_invocations <= run.planned_invocations
    asked = [call for call in bench.engine.calls if not call["maintainer"]]
    assert len(asked) == 2 + 2 + 2  # current, one new prompt tried (its twin is not), proposal
    assert bench.artifact(run, "search.json")["stopReason"] == "nothing-to-improve"
    assert bench.flow.read_text() == ROOMY
    assert "blue is wrong, must be green" in bench.engine.asked


def test_a_prompt_that_could_do_more_is_never_tried(bench):
    id = _ready(bench)
    bench.engine.reply("Say GREEN. !`touch /tmp/never`")
    run = bench.propose(search=SearchSize(2, 1))
    assert run.status is S.CAPABILITY_REJECTED
    assert run.capability_diff["added"] == ["command:touch /tmp/never"]
    assert sum(not call["maintainer"] for call in bench.engine.calls) == 2
    assert bench.desk.feedback.get(id).state == "open"


def test_a_search_that_finds_nothing_better_says_so_and_leaves_the_problem_open(bench):
    id = _ready(bench)
    bench.engine.reply("Say RED.")
    run = bench.propose(search=SearchSize(1, 1))
    assert (run.status, run.reason_code) == (S.INCONCLUSIVE, "nothing-better")
    assert bench.desk.feedback.get(id).state == "open"


def test_a_maintainer_that_fails_ends_the_search(bench):
    id = _ready(bench)
    bench.engine.set("maintainer-exit", "2")
    run = bench.propose(search=SearchSize(1, 2))
    assert (run.status, run.reason_code) == (S.INCONCLUSIVE, "maintainer-failed")
    assert bench.desk.feedback.get(id).state == "open"
