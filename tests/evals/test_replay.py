from __future__ import annotations

import pytest

from honeyguide.evals.datasets import make_example
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.judge import Judge
from honeyguide.evals.measuring import TextUnderTest
from honeyguide.evals.replay import ReplaySubject, replay
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.kernel.errors import BudgetExceeded, Interrupted, PolicyRefused, Unreachable
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest, ModelRole
from honeyguide.traces.records import Trace, TraceFacts, TracePayload
from tests.fakes.evals_model import FakeModel, verdict

pytestmark = pytest.mark.anyio
MODEL = ModelRef("practice", "practice")
OLD, NEW = TextUnderTest("old"), TextUnderTest("new")


def trace(number: int, **facts: object) -> Trace:
    return Trace(TracePayload(f"Question {number}", f"Recorded {number}"), id=number, facts=TraceFacts(**facts))


def judge(answer) -> tuple[RunningJudge, FakeModel]:
    model = FakeModel(lambda r: answer(r) if r.role is ModelRole.EXECUTOR else verdict(8, 8, 8))
    return RunningJudge(PromptExecutor(model, MODEL), Judge(model, MODEL)), model


async def test_past_inputs_are_answered_by_both_versions_side_by_side():
    running, model = judge(lambda r: f"{r.system}: {r.messages[0].content}")
    rows = await replay([ReplaySubject.from_trace(trace(i)) for i in (1, 2)], OLD, NEW, running)
    assert [(r.subject.recorded, r.left.answer.text, r.right.answer.text) for r in rows] == [
        ("Recorded 1", "old: Question 1", "new: Question 1"),
        ("Recorded 2", "old: Question 2", "new: Question 2"),
    ]
    assert not any(row.is_same for row in rows)
    assert model.count(ModelRole.JUDGE) == 0


async def test_examples_are_graded_too():
    running, _ = judge(lambda r: "the same")
    [row] = await replay([ReplaySubject.from_example(make_example("Question", "Answer"))], OLD, NEW, running)
    assert row.is_same
    assert row.left.verdict.overall == pytest.approx(0.8)
    assert row.to_json()["right"]["score"] == pytest.approx(0.8)


async def test_what_the_budget_does_not_allow_is_marked_and_the_journal_still_answers():
    def answer(request: ModelRequest):
        if request.system == "old":
            return ModelReply("from the journal", replayed=True, cost_usd=0.0)
        return BudgetExceeded("Nothing is left.")

    running, _ = judge(answer)
    rows = await replay([ReplaySubject.from_trace(trace(i)) for i in (1, 2)], OLD, NEW, running)
    assert [row.left.answer.replayed for row in rows] == [True, True]
    assert [row.right.answer.failure for row in rows] == ["not-run: budget"] * 2
    assert not rows[0].is_same


async def test_a_failed_call_is_shown_as_one():
    running, _ = judge(lambda r: Unreachable("down"))
    [row] = await replay([ReplaySubject.from_example(make_example("Question", "Answer"))], OLD, NEW, running)
    assert row.left.answer.failure == "executor-failed: unreachable"
    assert row.left.verdict is None


def test_what_may_never_be_sent_is_not_replayed():
    with pytest.raises(PolicyRefused):
        ReplaySubject.from_trace(trace(1, never_send=True))


async def test_a_replay_can_be_stopped():
    cancellation = Cancellation()
    running, model = judge(lambda r: "x")
    with pytest.raises(Interrupted):
        await replay(
            [ReplaySubject.from_trace(trace(i)) for i in range(5)], OLD, NEW, running,
            cancellation=cancellation, progress=lambda done, planned: cancellation.request() if done == 2 else None,
        )  # fmt: skip
    assert len(model.requests) == 4
