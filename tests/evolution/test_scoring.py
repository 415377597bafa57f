import asyncio

import pytest

from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.candidates import Means, Measurement, like_for_like, paired
from honeyguide.evolution.execution import LoopExecutor, in_order
from honeyguide.evolution.scoring import ScoreLedger, TooManyUnscored
from honeyguide.kernel.errors import BudgetExceeded, InvalidInput, Unreachable
from honeyguide.llm.protocol import ModelRole
from tests.evolution.worlds import constant, examples, model, running_judge
from tests.fakes.evals_model import FakeModel, verdict


def evaluation(example, overall, feedback=""):
    score = None if overall is None else JudgeScore(overall, overall, overall, overall, 1.0, overall)
    return Evaluation(example, "answer", Verdict(score, feedback))


def ledger(client, width=1):
    return ScoreLedger(LoopExecutor(running_judge(client), width))


def test_means_are_over_scored_answers_and_the_weakest_speak_first():
    m = Measurement(tuple(evaluation(f"e{i}", s, f"f{s}") for i, s in enumerate([0.9, 0.1, 0.2, 0.3, 0.8])))
    assert m.means().overall == pytest.approx(0.46)
    assert m.weakness_feedback() == ("f0.1", "f0.2", "f0.3")
    three = Measurement(tuple(evaluation(f"e{i}", s) for i, s in enumerate([0.8, 0.6, 0.2])))
    assert three.means().overall == pytest.approx(0.5333, abs=1e-4)


def test_an_unscored_answer_is_counted_and_never_a_zero():
    m = Measurement((evaluation("a", 0.8), evaluation("b", None)))
    assert (m.means().overall, m.means().n, m.unscored) == (pytest.approx(0.8), 1, 1)
    assert Measurement().means() == Means(length_penalty=1.0)


def test_candidates_are_compared_on_the_examples_that_all_have():
    one = Measurement((evaluation("a", 0.2), evaluation("b", 0.9)))
    two = Measurement((evaluation("a", 0.4), evaluation("b", None)))
    means = like_for_like({"one": one, "two": two})
    assert (means["one"].overall, means["two"].overall) == (pytest.approx(0.2), pytest.approx(0.4))
    assert paired(one, two) == [(0.2, 0.4)]


def test_a_text_is_run_on_an_example_once():
    client = model(constant())
    book = ledger(client)

    async def run():
        await book.measure("one", examples(3))
        await book.measure("one", examples(5))
        return await book.measure_all(["one", "two", "two"], examples(5))

    measured = asyncio.run(run())
    assert client.count(ModelRole.EXECUTOR) == book.evaluated == 10
    assert measured[1] == measured[2]


@pytest.mark.parametrize(("width", "count", "peak"), [(4, 8, 4), (100, 3, 3), (1, 4, 1)])
def test_no_more_than_the_width_runs_at_once(width, count, peak):
    client = model(constant(), pause=lambda request: 0.002)
    asyncio.run(ledger(client, width).measure("x", examples(count)))
    assert client.most_under_way == peak


def test_results_are_given_in_the_order_of_the_examples_whatever_finished_first():
    client = model(
        lambda actual, question: (float(question[-1]), 5, 5, question),
        pause=lambda request: (
            0.01 / (1 + int(request.messages[-1].content[-1])) if request.role is ModelRole.EXECUTOR else 0
        ),
    )
    measured = asyncio.run(ledger(client, 8).measure("x", examples(8)))
    assert [e.example_id for e in measured.evaluations] == [f"q{i}" for i in range(8)]


def test_a_dead_provider_ends_the_run_after_five_answers():
    client = FakeModel(lambda request: Unreachable("No answer."))
    with pytest.raises(TooManyUnscored, match=r"executor-failed: unreachable \(5\)"):
        asyncio.run(ledger(client).measure("x", examples(40)))
    assert len(client.requests) <= 6


def test_too_many_unusable_verdicts_end_the_run_and_a_few_do_not():
    def grades(share):
        return lambda actual, question: "no idea" if int(question[-1]) < share else (5, 5, 5, "")

    asyncio.run(ledger(model(grades(1))).measure("x", examples(40)))
    with pytest.raises(TooManyUnscored, match="judge-unparseable"):
        asyncio.run(ledger(model(grades(3))).measure("x", examples(40)))


def test_a_budget_ends_the_measurement_and_keeps_what_was_paid():
    calls = 0

    def answer(request):
        nonlocal calls
        calls += 1
        if calls > 6:
            return BudgetExceeded("Enough.")
        return verdict(5) if request.role is ModelRole.JUDGE else "hello"

    book = ledger(FakeModel(answer))
    with pytest.raises(BudgetExceeded):
        asyncio.run(book.measure("x", examples(10)))
    assert book.evaluated == 3


def test_only_a_judge_that_runs_the_candidate_is_accepted():
    with pytest.raises(TypeError, match="RunningJudge"):
        LoopExecutor(running_judge(model(constant())).judge)
    with pytest.raises(InvalidInput):
        LoopExecutor(running_judge(model(constant())), 0)


def test_calls_run_side_by_side_and_come_back_in_order():
    async def call(i):
        await asyncio.sleep(0.003 * (3 - i))
        return i

    async def run():
        return await in_order([lambda i=i: call(i) for i in range(4)], 4)

    assert asyncio.run(run()) == [0, 1, 2, 3]
