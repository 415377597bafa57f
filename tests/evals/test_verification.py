from __future__ import annotations

import asyncio
import json

import pytest

from honeyguide.evals.datasets import make_example
from honeyguide.evals.examples import Example
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.findings import Finding, Thresholds
from honeyguide.evals.judge import Judge
from honeyguide.evals.measuring import TextUnderTest
from honeyguide.evals.receipts import Receipt, compare
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.verification import VerificationOptions, VerificationRecord
from honeyguide.evals.verifying import assess, receipt_for, verify
from honeyguide.kernel import choice
from honeyguide.kernel.errors import BudgetExceeded, Interrupted, InvalidInput, Unreachable
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.protocol import ModelRef, ModelRequest, ModelRole
from tests.fakes.evals_model import FakeModel, blocks_of, verdict

pytestmark = pytest.mark.anyio
MODEL = ModelRef("practice", "practice")
BASE, BETTER = TextUnderTest("Answer."), TextUnderTest("Answer with the rule.")
DEVELOPMENT = [0.5] * 20 + [0.0] * 20
CONTRACT_KEYS = [
    "outcome", "label", "n", "repeats", "baseline", "candidate", "delta", "interval", "confidence", "p_value",
    "noise_floor", "unscored", "wins", "ties", "losses", "receipt",
]  # fmt: skip


def examples(n: int, start: int = 0, **metadata: object) -> list[Example]:
    return [
        make_example(f"Question {i}", f"Answer {i}", conversation=f"c{i}", metadata=metadata)
        for i in range(start, start + n)
    ]


def world(gain: float = 0.4, *, winners: float = 1.0, pause=None) -> FakeModel:
    """A text that says "rule" wins ``gain`` of correctness on a share of the questions; verdicts scatter a little."""

    def answer(request: ModelRequest) -> str:
        if request.role is ModelRole.EXECUTOR:
            return "by the rule" if "rule" in request.system else "as always"
        blocks = blocks_of(request)
        moved = choice.unit(1, "moved", blocks["INPUT"]) < winners and "rule" in blocks["ACTUAL"]
        noise = choice.index(1, 2, "noise", blocks["INPUT"], blocks["ACTUAL"], request.repetition)
        return verdict(5 + noise + (10 * gain if moved else 0), 8, 8)

    return FakeModel(answer, pause=pause)


def running(model: FakeModel) -> RunningJudge:
    return RunningJudge(PromptExecutor(model, MODEL), Judge(model, MODEL))


async def measured(model: FakeModel, n: int = 40, **options: object) -> VerificationRecord:
    return await verify(BASE, BETTER, examples(n), running(model), DEVELOPMENT, VerificationOptions(**options))


async def test_a_real_gain_is_proven_with_all_its_numbers():
    record = await measured(world())
    v = record.verification
    assert (v.outcome, v.reason, v.label) == (Finding.VERIFIED_IMPROVEMENT, "gain-shown", "Better, proven")
    assert (v.n, v.planned, v.repeats, v.verdicts, v.unscored) == (40, 40, 2, 160, 0)
    assert v.delta == pytest.approx(0.2, abs=0.03)
    assert v.candidate - v.baseline == pytest.approx(v.delta)
    assert v.interval.low <= v.delta <= v.interval.high
    assert v.wins + v.ties + v.losses == 40
    assert v.p_value == pytest.approx(1 / v.e_value)
    assert v.e_value >= v.bar == 40
    assert 0 < v.noise_floor < 0.05
    assert 0.02 < v.smallest_lift < 0.2
    assert v.advice == ""


async def test_the_json_has_the_contracts_keys_first_and_is_plain():
    data = (await measured(world())).verification.to_json()
    assert list(data)[: len(CONTRACT_KEYS)] == CONTRACT_KEYS
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["sentence"].startswith(f"Better on {data['wins']} of 40 unseen cases, worse on {data['losses']}; gain ")


async def test_no_difference_is_inconclusive_and_says_what_would_decide():
    v = (await measured(world(0.0))).verification
    assert v.outcome is Finding.INCONCLUSIVE
    assert v.label == "Cannot tell yet"
    assert "would likely decide it" in v.advice
    assert v.more_examples and v.more_examples > 40


async def test_harm_is_rejected_as_soon_as_it_is_shown_and_the_rest_is_not_spent():
    v = (await measured(world(-0.5), n=60, concurrency=4)).verification
    assert (v.outcome, v.reason, v.stopped) == (Finding.REJECTED, "harm-shown", "harm")
    assert 0 < v.n < 60


async def test_spending_can_stop_at_the_first_good_sign_of_harm():
    hasty = Thresholds(futility=5.0)
    v = (await measured(world(-0.5), n=60, thresholds=hasty)).verification
    assert (v.outcome, v.reason, v.stopped) == (Finding.INCONCLUSIVE, "looks-worse", "harm")
    assert 5 <= v.harm_e_value < 20


async def test_under_twelve_pairs_nothing_is_improved():
    v = (await measured(world(0.5), n=11)).verification
    assert (v.outcome, v.reason) == (Finding.INCONCLUSIVE, "too-few-examples")
    assert (await measured(world(0.5), n=0)).verification.n == 0


async def test_a_later_look_has_a_higher_bar():
    first, late = [(await measured(world(0.4), look=k)).verification for k in (1, 60)]
    assert first.e_value == late.e_value
    assert first.outcome is Finding.VERIFIED_IMPROVEMENT
    assert late.outcome is not Finding.VERIFIED_IMPROVEMENT


# -- what may go wrong ---------------------------------------------------------------------------------------------


def failing(share: float, model: FakeModel, role: ModelRole = ModelRole.JUDGE) -> FakeModel:
    """The same world where a share of the calls of one role cannot be made or read."""

    def answer(request: ModelRequest):
        lost = choice.unit(2, "lost", request.request_hash) < share
        if request.role is role and lost:
            return "No grade today." if role is ModelRole.JUDGE else Unreachable("down")
        return model._answer(request)

    return FakeModel(answer)


async def test_missing_verdicts_are_missing_and_not_zero():
    record = await measured(failing(0.1, world(0.0)), n=60)
    v = record.verification
    assert v.unscored > 0
    assert v.delta == pytest.approx(0.0, abs=0.03)
    assert v.unscored_reasons == {"judge-unparseable": v.unscored}
    assert sum(p.missing for p in record.pairs) == v.unscored


async def test_a_pair_counts_only_with_a_verdict_on_both_sides():
    record = await measured(failing(0.15, world()), n=60, repeats=1)
    assert record.verification.n == sum(p.is_complete for p in record.pairs) < 60


@pytest.mark.parametrize(
    ("role", "reason"), [(ModelRole.JUDGE, "judge-unparseable"), (ModelRole.EXECUTOR, "executor-failed: unreachable")]
)
async def test_a_judge_that_cannot_be_used_decides_nothing_and_stops_early(role, reason):
    model = failing(0.5, world(0.5), role)
    v = (await measured(model, n=60)).verification
    assert (v.outcome, v.reason, v.stopped) == (Finding.INCONCLUSIVE, "judge-not-usable", "judge")
    assert v.unscored_reasons == {reason: v.unscored}
    assert model.count(ModelRole.EXECUTOR) < 240


async def test_a_dead_provider_is_left_soon():
    model = FakeModel(lambda _: Unreachable("down"))
    v = (await measured(model, n=200)).verification
    assert (v.n, v.delta, v.interval, v.outcome) == (0, None, None, Finding.INCONCLUSIVE)
    assert len(model.requests) < 220
    assert v.sentence == v.because


async def test_the_budget_ends_the_measurement_and_what_was_seen_is_weighed():
    inner, calls = world(), 0

    def answer(request: ModelRequest):
        nonlocal calls
        calls += 1
        return BudgetExceeded("The ceiling is reached.") if calls > 160 else inner._answer(request)

    record = await measured(FakeModel(answer))
    v = record.verification
    assert v.stopped == "budget"
    assert 12 <= v.n <= 20
    assert v.e_value > 1


async def test_a_wish_to_stop_is_heard_between_two_calls():
    cancellation = Cancellation()
    model = world()
    seen = []

    def progress(done: int, planned: int, evidence: float) -> None:
        seen.append((done, planned))
        if done == 5:
            cancellation.request()

    with pytest.raises(Interrupted):
        await verify(
            BASE, BETTER, examples(60), running(model), DEVELOPMENT, VerificationOptions(concurrency=2),
            cancellation=cancellation, progress=progress,
        )  # fmt: skip
    assert seen == [(i, 60) for i in range(1, 6)]
    assert len(model.requests) < 60
    assert model.under_way == 0


async def test_cancelling_the_task_leaves_nothing_running():
    model = world(pause=lambda _: 30.0)
    others = asyncio.all_tasks()
    task = asyncio.create_task(measured(model))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert model.under_way == 0
    assert asyncio.all_tasks() == others


# -- fair measuring ------------------------------------------------------------------------------------------------


async def test_both_texts_meet_the_same_examples_interleaved_and_either_goes_first():
    model = world()
    await measured(model, n=40, concurrency=1)
    order = [(r.messages[0].content, "rule" in r.system) for r in model.requests if r.role is ModelRole.EXECUTOR]
    for start in range(0, len(order), 4):
        four = order[start : start + 4]
        assert len({question for question, _ in four}) == 1
        assert sorted(is_candidate for _, is_candidate in four) == [False, False, True, True]
        assert four[0][1] != four[1][1]
    firsts = [is_candidate for _, is_candidate in order[::2]]
    assert 20 < sum(firsts) < 60


async def test_whatever_finishes_first_the_record_is_the_same():
    plain = await measured(world())
    jumbled = await measured(world(pause=lambda r: choice.unit(9, r.request_hash) / 200), concurrency=5)
    assert plain == jumbled


async def test_concurrency_is_kept_and_used():
    model = world(pause=lambda _: 0.001)
    await measured(model, concurrency=6)
    assert 4 <= model.most_under_way <= 6


async def test_the_conclusion_can_be_drawn_again_from_the_pairs():
    record = await measured(world())
    options = VerificationOptions()
    assert assess(record.pairs, 40, record.stakes, options) == record.verification


async def test_evidence_goes_on_with_more_examples():
    options = VerificationOptions()
    early = await verify(BASE, BETTER, examples(14), running(world(0.3)), DEVELOPMENT, options)
    assert early.verification.outcome is Finding.INCONCLUSIVE
    model = world(0.3)
    late = await verify(BASE, BETTER, examples(60), running(model), [], options, earlier=early)
    assert late.pairs[:14] == early.pairs
    assert late.stakes == early.stakes
    assert late.verification.n == 60
    assert model.count(ModelRole.EXECUTOR) == 46 * 4
    assert late.verification.outcome is Finding.VERIFIED_IMPROVEMENT
    with pytest.raises(InvalidInput):
        await verify(BASE, BETTER, examples(60), running(model), [], VerificationOptions(repeats=3), earlier=early)


# -- guards --------------------------------------------------------------------------------------------------------


def sliced() -> tuple[list[Example], FakeModel]:
    """English cases win, German ones lose."""
    english, german = examples(50, language="en"), examples(15, start=100, language="de")
    inner = world(0.0)

    def answer(request: ModelRequest):
        if request.role is ModelRole.EXECUTOR:
            return inner._answer(request)
        blocks = blocks_of(request)
        is_german = int(blocks["INPUT"].split()[1]) >= 100
        return verdict((2 if is_german else 10) if "rule" in blocks["ACTUAL"] else 5, 8, 8)

    return [*english, *german], FakeModel(answer)


async def test_no_improvement_is_called_clean_when_a_slice_got_worse():
    cases, model = sliced()
    record = await verify(BASE, BETTER, cases, running(model), DEVELOPMENT)
    v = record.verification
    assert v.e_value > v.bar
    assert (v.outcome, v.reason) == (Finding.INCONCLUSIVE, "guard-fell")
    assert "language de" in v.because
    fallen = {(s.key, s.value): s.fell for s in v.slices}
    assert fallen == {("language", "en"): False, ("language", "de"): True}


async def test_a_slice_that_got_worse_is_named_also_where_the_whole_proves_nothing():
    cases, model = sliced()
    v = (await verify(BASE, BETTER, [*cases[:30], *cases[-15:]], running(model), DEVELOPMENT)).verification
    assert (v.outcome, v.reason) == (Finding.INCONCLUSIVE, "not-enough-evidence")
    assert "It got worse for language de." in v.because
    assert v.more_examples or "harms others" in v.advice


async def test_conciseness_cannot_buy_correctness():
    def answer(request: ModelRequest):
        if request.role is ModelRole.EXECUTOR:
            return "by the rule" if "rule" in request.system else "as always"
        return verdict(7, 10, 10) if "rule" in blocks_of(request)["ACTUAL"] else verdict(8, 4, 2)

    v = (await measured(FakeModel(answer))).verification
    assert v.delta > 0
    assert v.correctness_delta < 0
    assert (v.outcome, v.reason) == (Finding.INCONCLUSIVE, "guard-fell")


async def test_a_gate_that_fell_outside_bars_the_claim():
    v = (await measured(world(), failed_guards=("growth",))).verification
    assert (v.outcome, v.reason) == (Finding.INCONCLUSIVE, "guard-fell")
    assert "growth" in v.because


# -- receipts ------------------------------------------------------------------------------------------------------


def receipt(**changes: object) -> Receipt:
    settings = {
        "baseline": BASE, "candidate": BETTER, "holdout": examples(20), "judge": running(world()),
        "development": DEVELOPMENT, "options": VerificationOptions(), "extra": {"dataset": "d1"}, **changes,
    }  # fmt: skip
    return receipt_for(**settings)


def test_the_same_inputs_give_the_same_receipt_in_any_order():
    assert receipt() == receipt(holdout=examples(20)[::-1])
    assert not compare(receipt(), receipt()).is_stale


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"baseline": TextUnderTest("Other.")}, "The current text changed since."),
        ({"candidate": TextUnderTest(BETTER.prompt, "JSON")}, "The proposed text changed since."),
        ({"holdout": examples(21)}, "The sealed examples changed since."),
        ({"development": [0.1]}, "The development measurements changed since."),
        ({"options": VerificationOptions(seed=2)}, "The seed changed since."),
        ({"options": VerificationOptions(repeats=3)}, "The number of verdicts per case changed since."),
        ({"options": VerificationOptions(look=2)}, "The number of looks at the sealed examples changed since."),
        (
            {"options": VerificationOptions(thresholds=Thresholds(min_delta=0.03))},
            "The thresholds of the verification changed since.",
        ),
        ({"extra": {"dataset": "d2"}}, "The dataset changed since."),
    ],
)
def test_a_receipt_is_stale_when_anything_that_decided_has_changed(change, reason):
    state = compare(receipt(), receipt(**change))
    assert (state.is_stale, state.reasons) == (True, (reason,))


def test_a_receipt_that_was_edited_is_refused():
    data = receipt().to_json()
    assert Receipt.from_json(data) == receipt()
    data["parts"]["seed"] = "99"
    with pytest.raises(InvalidInput, match="changed after it was written"):
        Receipt.from_json(data)


def test_what_cannot_be_recomputed_is_not_called_changed():
    assert not compare(receipt(), Receipt({"seed": "1"})).is_stale
    assert compare(Receipt({}), Receipt({"seed": "1"})).reasons == ("The receipt says nothing of the seed.",)


async def test_the_receipt_travels_with_the_verification():
    record = await verify(
        BASE, BETTER, examples(12), running(world()), DEVELOPMENT, VerificationOptions(), receipt=receipt()
    )
    assert record.verification.to_json()["receipt"]["digest"] == receipt().digest
