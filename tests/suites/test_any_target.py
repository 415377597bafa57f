"""Suites and feedback for any prompt: run on a model, and turned into examples."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from honeyguide.evals.examples import ExpectationRole
from honeyguide.feedback import FailureClass, FeedbackItem, FeedbackState
from honeyguide.kernel.errors import AuthFailed, ModelError, RateLimited
from honeyguide.llm.practice.client import PracticeClient
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest
from honeyguide.suites import read_suite, run_suite
from honeyguide.suites.examples import example_of_feedback, examples_of_cases
from honeyguide.suites.model_subject import ModelSubject

SUITE = """\
cases:
  - name: greets
    input: "Hello, I am Maria. I would like a refund."
    repetitions: 3
    quorum: 2
    checks: [{regex: {pattern: "^(hello|hi|dear) maria", flags: i}}]
  - name: leaves a file
    input: x
    checks: [{file-exists: out.txt}]
  - name: polite
    input: y
    rubric: Is it polite?
  - {name: nothing given, checks: [{contains: x}]}
  - {name: unfinished, draft: true, input: z, checks: [{contains: x}]}
"""


@pytest.mark.parametrize(
    ("text", "passes"), [("You answer customers.", False), ("You answer customers. Greet the customer by name.", True)]
)
def test_a_prompt_is_red_or_green_on_a_model(tmp_path, text, passes):
    cases = read_suite(SUITE, "s").cases[:1]
    subject = ModelSubject(PracticeClient(), ModelRef("practice", "practice"), text)
    outcome = asyncio.run(run_suite(cases, subject, base=tmp_path))
    assert outcome.is_clean is passes
    assert outcome.invocations == 3


class _Failing:
    def __init__(self, error: ModelError) -> None:
        self.error = error

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise self.error


@pytest.mark.parametrize(
    ("error", "failure"), [(AuthFailed("no"), FailureClass.AUTH), (RateLimited("no"), FailureClass.PROVIDER)]
)
def test_a_model_that_fails_is_no_verdict(tmp_path, error, failure):
    subject = ModelSubject(_Failing(error), ModelRef("p", "m"), "x")
    outcome = asyncio.run(run_suite(read_suite(SUITE, "s").cases[:1], subject, base=tmp_path))
    assert outcome.cases[0].status == "inconclusive"
    assert outcome.cases[0].trials[0].failure_class is failure


def test_cases_that_an_answer_decides_become_examples():
    examples = examples_of_cases(read_suite(SUITE, "s").cases, suite="s")
    assert [example.metadata["case"] for example in examples] == ["greets", "polite"]
    assert [example.role for example in examples] == [ExpectationRole.CHECKS, ExpectationRole.RUBRIC]
    assert examples[0].checks[0].kind == "regex"


def test_a_reported_problem_becomes_an_example_with_its_bad_answer():
    item = FeedbackItem("fb_1", "generic", "x", "be polite", "t", "t", expected="please", actual="no")
    example = example_of_feedback(item, "hello", conversation="c1")
    assert example is not None
    assert (example.role, example.rejected) == (ExpectationRole.RUBRIC, "no")
    assert "please" in example.expected
    assert example_of_feedback(replace(item, state=FeedbackState.DISMISSED), "hello", conversation="c1") is None
    assert example_of_feedback(item, "  ", conversation="c1") is None
