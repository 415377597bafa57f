from __future__ import annotations

import asyncio
import json

import pytest

from honeyguide.evals.datasets import make_example
from honeyguide.evals.exam import ExamBar, ExamCase, ExamReport, take_exam
from honeyguide.evals.exam_cases import read_exam, write_exam
from honeyguide.evals.judge import Judge
from honeyguide.kernel import choice
from honeyguide.kernel.errors import BudgetExceeded, Interrupted, InvalidInput, Unreachable
from honeyguide.llm.blocks import read_blocks
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.protocol import ModelRef, ModelRequest
from tests.fakes.evals_model import FakeModel, blocks_of, verdict

pytestmark = pytest.mark.anyio
MODEL = ModelRef("anthropic", "judge-1")


def cases(n: int = 60) -> list[ExamCase]:
    """Half of the answers are good; lengths and authors vary without regard to that."""
    made = []
    for i in range(n):
        good = i % 2 == 0
        padding = "so " * (200 * (i % 5))
        made.append(
            ExamCase(
                make_example(f"Question number {i}", "yes", conversation=f"c{i}"),
                f"{'yes' if good else 'no'} {i} {padding}",
                1.0 if good else 0.0,
                "anthropic:judge-1" if i % 3 == 0 else "openai:other",
            )
        )
    return made


def is_right(request: ModelRequest) -> bool:
    return blocks_of(request)["ACTUAL"].startswith("yes")


def grade(value: float) -> str:
    value = max(0.0, min(10.0, value))
    return verdict(value, value, value)


def honest(request: ModelRequest) -> str:
    return grade(9 if is_right(request) else 2)


def generous(request: ModelRequest) -> str:
    return grade(9)


def likes_length(request: ModelRequest) -> str:
    return grade((6 if is_right(request) else 1) + len(blocks_of(request)["ACTUAL"]) / 700)


def likes_its_own(request: ModelRequest) -> str:
    number = int(blocks_of(request)["INPUT"].split()[-1])
    return grade((7 if is_right(request) else 2) + (2.5 if number % 3 == 0 else 0))


def minds_the_order(request: ModelRequest) -> str:
    names = [block.name for block in read_blocks(request.messages[0].content)]
    return grade(9) if names[1] == "ACTUAL" else honest(request)


def moody(request: ModelRequest) -> str:
    return grade(9 if choice.unit(1, request.request_hash, request.repetition) < 0.5 else 2)


def mumbling(request: ModelRequest) -> str:
    return "Hm." if choice.unit(3, request.request_hash) < 0.4 else honest(request)


async def exam(answer, n: int = 60, **settings: object) -> ExamReport:
    return await take_exam(cases(n), Judge(FakeModel(answer), MODEL), **settings)


async def test_a_good_judge_passes():
    report = await exam(honest)
    assert report.passed
    assert report.kappa.value == pytest.approx(1.0)
    assert report.error == pytest.approx(0.15)
    assert (report.position_flips.value, report.repeatability.value) == (0.0, 1.0)
    assert report.length_slope.value == pytest.approx(0.0, abs=1e-9)
    assert (report.n, report.verdicts, report.unscored) == (60, 180, 0)
    assert json.loads(json.dumps(report.to_json()))["passed"] is True


@pytest.mark.parametrize(
    ("judge", "complaint"),
    [
        (generous, "agrees too little"),
        (likes_length, "for every 1000 characters"),
        (likes_its_own, "its own model's answers"),
        (minds_the_order, "order of the texts"),
        (moody, "says the same in only"),
        (mumbling, "verdicts could not be read"),
    ],
)
async def test_each_failing_of_a_judge_is_named(judge, complaint):
    report = await exam(judge)
    assert not report.passed
    assert any(complaint in failure for failure in report.failures), report.failures


async def test_too_few_cases_prove_nothing():
    assert "too few" in (await exam(honest, 10)).failures[0]
    assert (await exam(honest, 10, bar=ExamBar(least_cases=5))).passed


async def test_only_good_answers_tell_nothing_of_agreement():
    only_good = [case for case in cases() if case.grade == 1.0]
    report = await take_exam(only_good, Judge(FakeModel(honest), MODEL))
    assert any("grade good and bad answers" in failure for failure in report.failures)


async def test_a_judge_that_cannot_be_reached_has_no_report_of_zeros():
    report = await exam(lambda _: Unreachable("down"))
    assert (report.n, report.unscored, report.kappa.value) == (0, 180, None)
    assert not report.passed


async def test_one_verdict_a_case_is_not_enough():
    with pytest.raises(InvalidInput):
        await exam(honest, repeats=1)


async def test_the_budget_ends_the_exam_and_nothing_stays_behind():
    model = FakeModel(lambda r: BudgetExceeded("enough"), pause=lambda r: 0.001)
    others = asyncio.all_tasks()
    with pytest.raises(BudgetExceeded):
        await take_exam(cases(), Judge(model, MODEL), concurrency=3)
    assert asyncio.all_tasks() == others
    assert len(model.requests) <= 6


async def test_a_wish_to_stop_ends_the_exam():
    cancellation = Cancellation()
    model = FakeModel(honest)
    with pytest.raises(Interrupted):
        await take_exam(
            cases(), Judge(model, MODEL), concurrency=2, cancellation=cancellation,
            progress=lambda done, planned: cancellation.request() if done == 4 else None,
        )  # fmt: skip
    assert len(model.requests) <= 6


def test_graded_cases_are_read_from_lines():
    line = {"input": "Hello there", "expected_output": "Hi", "actual": "Hey", "grade": "good"}
    text = "\n".join(
        [
            json.dumps(line),
            json.dumps({**line, "grade": 7, "answered_by": "openai:x"}),
            json.dumps({**line, "grade": False}),
            json.dumps({**line, "grade": 0.4}),
            json.dumps({**line, "grade": "meh"}),
            json.dumps({**line, "grade": 11}),
            json.dumps({"input": "Hello there", "expected_output": "Hi"}),
            "{",
        ]
    )
    read = read_exam(text)
    assert [case.grade for case in read.cases] == [1.0, 0.7, 0.0, 0.4]
    assert read.cases[1].answered_by == "openai:x"
    assert read.skipped == {5: "no grade", 6: "no grade", 7: "no actual", 8: "not JSON"}


def test_a_case_survives_the_way_through_a_file():
    case = cases(1)[0]
    assert read_exam(write_exam(case)).cases == (case,)


@pytest.mark.parametrize("grade", [-0.1, 1.1, float("nan")])
def test_impossible_grades_are_refused(grade):
    with pytest.raises(InvalidInput):
        ExamCase(make_example("a", "b"), "c", grade)
