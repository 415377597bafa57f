from __future__ import annotations

import pytest

from honeyguide.evals.examples import CheckSpec, Example, ExpectationRole
from honeyguide.evals.executor import PromptExecutor, executor_system
from honeyguide.evals.judge import Judge
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.kernel.errors import BudgetExceeded, Unreachable
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRole, StopReason
from tests.fakes.evals_model import FakeModel, blocks_of, verdict

pytestmark = pytest.mark.anyio

MODEL = ModelRef("practice", "practice")
PLAIN = Example("e", "Say hello.", "Hello!")


def running(answer, grading=lambda _: verdict(8, 8, 8)) -> tuple[RunningJudge, FakeModel]:
    model = FakeModel(lambda r: answer(r) if r.role is ModelRole.EXECUTOR else grading(r))
    return RunningJudge(PromptExecutor(model, MODEL), Judge(model, MODEL)), model


async def test_the_candidate_is_the_system_prompt_and_the_input_the_message():
    judge, model = running(lambda r: "Hello!")
    got = await judge.evaluate("Be kind.", "Answer as JSON.", PLAIN, repetition=1)
    request = model.requests[0]
    assert request.system == "Be kind.\n\nAnswer as JSON." == executor_system("Be kind.", "Answer as JSON.")
    assert [m.content for m in request.messages] == ["Say hello."]
    assert (got.example_id, got.actual, got.repetition) == ("e", "Hello!", 1)
    assert {r.repetition for r in model.requests} == {1}


async def test_what_is_graded_is_the_answer_and_not_the_prompt():
    judge, model = running(lambda r: f"I was told: {r.system}")
    await judge.evaluate("Be kind.", None, PLAIN)
    assert blocks_of(model.requests[1])["ACTUAL"] == "I was told: Be kind."


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Unreachable("down"), "executor-failed: unreachable"),
        (ModelReply("  ", StopReason.MAX_TOKENS), "executor-truncated"),
    ],
)
async def test_an_executor_that_fails_is_unscored_and_costs_no_judge(reply, reason):
    judge, model = running(lambda r: reply)
    got = await judge.evaluate("p", None, PLAIN)
    assert (got.verdict.score, got.verdict.unscored_reason) == (None, reason)
    assert model.count(ModelRole.JUDGE) == 0


async def test_an_empty_answer_is_graded():
    judge, _ = running(lambda r: "", lambda r: verdict(0, 0, 0))
    got = await judge.evaluate("p", None, PLAIN)
    assert got.verdict.overall == 0.0


async def test_the_budget_stops_the_run():
    judge, _ = running(lambda r: BudgetExceeded("enough"))
    with pytest.raises(BudgetExceeded):
        await judge.evaluate("p", None, PLAIN)


def checked(role=ExpectationRole.REFERENCE, *values: str) -> Example:
    return Example("c", "Say hello.", "Hello!", role, checks=tuple(CheckSpec("contains", v) for v in values))


@pytest.mark.parametrize(
    ("example", "overall", "judge_calls"),
    [
        (checked(ExpectationRole.REFERENCE, "Hello"), 0.5 * 1.0 + 0.5 * 0.8, 1),
        (checked(ExpectationRole.REFERENCE, "Hello", "goodbye"), 0.5, 1),
        (checked(ExpectationRole.REFERENCE, "goodbye"), 0.0, 0),
        (checked(ExpectationRole.CHECKS, "Hello", "goodbye"), 0.5, 0),
        (checked(ExpectationRole.CHECKS, "Hello"), 1.0, 0),
    ],
)
async def test_checks_outrank_the_judge(example, overall, judge_calls):
    judge, model = running(lambda r: "Hello!")
    got = await judge.evaluate("p", None, example)
    assert got.verdict.overall == pytest.approx(overall)
    assert model.count(ModelRole.JUDGE) == judge_calls


async def test_complaints_of_checks_come_before_the_judges_feedback():
    judge, _ = running(lambda r: "Hello!", lambda r: verdict(9, feedback="Be warmer."))
    got = await judge.evaluate("p", None, checked(ExpectationRole.REFERENCE, "Hello", "goodbye"))
    assert got.verdict.feedback == "The answer lacks “goodbye”. Be warmer."


async def test_checks_that_nobody_can_decide_leave_the_answer_unscored():
    slow = CheckSpec("regex", r"(a|aa)+$")
    judge, _ = running(lambda r: "a" * 5000 + "b")
    got = await judge.evaluate("p", None, Example("s", "x", "", ExpectationRole.CHECKS, checks=(slow,)))
    assert (got.verdict.score, got.verdict.unscored_reason) == (None, "checks-inconclusive")


async def test_a_feedback_filter_touches_words_only():
    judge, _ = running(lambda r: "Hello!", lambda r: verdict(8, 8, 8, "Add a field. Be warmer."))
    filtered = judge.filtered(lambda text: text.replace("Add a field. ", ""))
    got = await filtered.evaluate("p", None, PLAIN)
    assert isinstance(filtered, RunningJudge)
    assert (got.verdict.feedback, got.verdict.overall) == ("Be warmer.", pytest.approx(0.8))
