import asyncio

import pytest

from honeyguide.evolution.decision import AttemptOutcome
from honeyguide.evolution.gates import GateOptions
from honeyguide.evolution.instruction_search import InstructionSettings
from honeyguide.evolution.orchestrator import run_once
from honeyguide.evolution.presets import SearchSettings
from honeyguide.evolution.requests import EvolutionRequest, Phase, RunPorts, Trigger
from honeyguide.evolution.schema_search import SchemaSettings
from honeyguide.kernel.errors import BudgetExceeded, InvalidInput
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.protocol import ModelRole
from honeyguide.prompts.locks import lock
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.workspace.suite_places import looked_at
from honeyguide.workspace.suite_proof import ModelSuite
from tests.evolution.worlds import MODEL, TARGET, dataset, model, running_judge
from tests.fakes.run_sink import MemorySink

O = AttemptOutcome  # noqa: E741
LIVE = (
    "You answer questions about parcels. Name the carrier. Give the date of the last scan. "
    "Be brief and kind to those who ask. Never guess."
)
SETTINGS = SearchSettings(
    schema=SchemaSettings(generations=0),
    instruction=InstructionSettings(population=2, generations=1, micro=6, mini=6, anchor=8),
)


def likes_plus(actual, question):
    points = 6 * min(1, len(actual) / 100) + 3 * (" plus" in actual)
    return (points, points, points, "Say more.")


def plus(blocks):
    return f"{blocks['CURRENT PROMPT']} plus"


def attempt(grade=likes_plus, mutate=plus, *, data=None, client=None, cancel=None, **request):
    client = client or model(grade, mutate)
    sink, events = MemorySink(), []

    async def mined():
        return dataset(holdout=30) if data is None else data

    asked = EvolutionRequest(**{"target": TARGET, "live": LIVE, "settings": SETTINGS, **request})
    used = RunPorts(running_judge(client), client, MODEL, mined, sink)
    result = asyncio.run(run_once(asked, used, cancel, events.append))
    assert sink.attempts == [result]
    assert [r for r in (result.run,) if r] == sink.runs
    return result, client, events


def test_a_better_text_is_proposed_with_its_gain():
    result, client, events = attempt()
    assert result.outcome is O.PROPOSED
    assert result.run.winner_text == f"{LIVE} plus"
    assert (len(LIVE), len(result.run.winner_text)) == (134, 139)
    assert result.run.delta_accuracy == pytest.approx(0.30)
    growth = next(g for g in result.gate_results if g.gate == "growth")
    assert growth.reason == "3.7% longer than before, of at most 20%."
    assert result.verification.verification.outcome.value == "verified_improvement"
    assert result.spend.calls == len(client.requests)
    assert [e.phase for e in events if e.phase is not Phase.COMPOSE and not (e.detail)] == [
        Phase.DATASET, Phase.GATES, Phase.PERSIST, Phase.DONE,
    ]  # fmt: skip


def test_what_is_stored_has_the_contracts_shape():
    result, _, _ = attempt(seed=3)
    artifacts = result.run.artifacts
    assert {k: artifacts[k] for k in ("runSeed", "generations", "paretoFrontSize", "exampleCount")} == {
        "runSeed": 3, "generations": 1, "paretoFrontSize": 1, "exampleCount": 50,
    }  # fmt: skip
    first = artifacts["history"][1]
    assert set(first) == {"stage", "generation", "candidates", "front", "best"}
    assert first["candidates"][0]["id"] == "g1-m0"
    assert first["candidates"][1]["duplicateOf"] == "g1-m0"
    assert [f["id"] for f in artifacts["finalists"]] == ["g1-m0"]
    assert [g["gate"] for g in result.run.gate_reasons][:7] == [
        "non-empty", "size", "growth", "balanced-fences", "no-placeholders", "no-todos", "regression",
    ]  # fmt: skip
    payload = result.to_json()
    assert payload["composeSummary"]["combinedDelta"] == pytest.approx(0.3)
    assert payload["verification"]["outcome"] == "verified_improvement"
    assert set(payload["spend"]) == {"calls", "usd", "input_tokens", "output_tokens", "replayed_calls"}
    assert len(result.evidence) == 8
    assert result.evidence[0]["candidate"]["score"] > result.evidence[0]["baseline"]["score"]


def test_progress_shows_stage_generation_candidate_front_calls_and_price():
    _, _, events = attempt()
    details = [e.detail for e in events if e.phase is Phase.COMPOSE and e.detail]
    assert all(set(d) == {"stage", "generation", "candidate", "front", "calls", "usd"} for d in details)
    measured = next(d["candidate"] for d in details if d["candidate"] and d["candidate"]["id"] == "g1-m0")
    assert {"id", "parent", "strategy", "scores", "complexity"} == set(measured)
    assert [d["calls"] for d in details] == sorted(d["calls"] for d in details)


@pytest.mark.parametrize(("eligible", "outcome"), [(3, O.SKIPPED_TRIGGER), (50, O.PROPOSED)])
def test_an_automatic_run_needs_enough_new_evidence(eligible, outcome):
    result, client, events = attempt(trigger=Trigger(eligible, min_traces=50))
    assert result.outcome is outcome
    assert events[0].phase is Phase.TRIGGER_CHECK
    assert outcome is O.PROPOSED or client.requests == []


def test_without_examples_nothing_is_tried():
    result, client, _ = attempt(data=dataset(0, 0, 0))
    assert (result.outcome, client.requests) == (O.SKIPPED_TRIGGER, [])


@pytest.mark.parametrize("mutate", [plus, lambda blocks: blocks["CURRENT PROMPT"]])
def test_too_small_a_gain_opens_no_holdout_and_stores_no_run(mutate):
    result, client, events = attempt(mutate=mutate, min_delta=0.5)
    assert (result.outcome, result.run, result.verification) == (O.SKIPPED_DELTA, None, None)
    assert not any("question h" in r.messages[0].content for r in client.requests)
    assert Phase.SKIPPED in [e.phase for e in events]


def test_a_text_that_is_far_too_long_is_kept_as_rejected_and_never_run():
    tool = TargetRef(TargetKind.TOOL, "search")
    result, client, _ = attempt(mutate=lambda b: "word " * 400 + b["STRATEGY"][:9], target=tool)
    assert result.outcome is O.SKIPPED_GATES
    assert (result.run.status, result.run.gate_verdict) == ("rejected", "fail")
    assert result.run.user_note.startswith("gate failure: ")
    assert [g["gate"] for g in result.run.gate_reasons] == ["non-empty", "size"]
    assert {r.system for r in client.requests if r.role is ModelRole.EXECUTOR} == {LIVE}


def test_when_the_best_finalist_fails_a_gate_the_next_is_tried():
    """The program that loads the file changes its mind about the best text after the search."""

    def mutate(blocks):
        return f"{LIVE} plus plus" if blocks["STRATEGY"].startswith("expand") else f"{LIVE} plus"

    def grade(actual, question):
        more = actual.count("plus")
        return (5 + 2 * more, 5, 8 - more, "f")

    seen = []

    def only_the_second(text):
        seen.append(text)
        return ["Not this one."] if text.endswith("plus plus") and seen.count(text) > 1 else []

    result, _, _ = attempt(grade, mutate, carrier_checks=(only_the_second,))
    assert result.outcome is O.PROPOSED
    assert result.run.winner_text == f"{LIVE} plus"
    assert [f["id"] for f in result.artifacts["finalists"]] == ["g1-m0", "g1-m1"]
    assert result.artifacts["finalists"][0]["gateResults"][-1]["verdict"] == "fail"


def test_locked_passages_and_variables_are_told_and_kept():
    live = f"{LIVE} Greet {{{{name}}}}."
    client = model(likes_plus, lambda b: "A text that dropped its variable and its rule.")
    result, _, _ = attempt(client=client, live=live, locked=(lock(live, "Never guess."),))
    assert result.outcome is O.SKIPPED_GATES
    assert result.gate_results and result.run.user_note == "gate failure: The variable {{name}} is missing."
    asked = next(r.messages[0].content for r in client.requests if r.role is ModelRole.MUTATOR)
    assert 'variable: {{name}}\npassage: "Never guess."' in asked


def test_harm_on_unseen_cases_is_stored_and_rejected_at_once():
    def grade(actual, question):
        better = " plus" in actual
        points = (1 if better else 8) if "question h" in question else (9 if better else 5)
        return (points, points, points, "f")

    result, _, _ = attempt(grade)
    assert result.outcome is O.SKIPPED_GATES
    assert result.verification.verification.outcome.value in ("rejected", "inconclusive")
    assert (result.run.status, result.run.can_accept) == ("rejected", False)
    assert result.run.user_note.startswith("verification failure: ")


def test_too_few_unseen_cases_are_proposed_but_need_a_note():
    result, _, _ = attempt(data=dataset(holdout=5))
    assert (result.outcome, result.run.status, result.run.needs_note) == (O.PROPOSED, "proposed", True)


def test_a_given_text_skips_the_search_and_meets_the_same_gates_and_proof():
    result, client, _ = attempt(candidate=f"{LIVE} plus")
    assert result.outcome is O.PROPOSED
    assert client.count(ModelRole.MUTATOR) == 0
    assert result.run.delta_accuracy == pytest.approx(0.3)
    assert [f["id"] for f in result.artifacts["finalists"]] == ["given"]
    refused, _, _ = attempt(candidate=f"{LIVE} " + "plus " * 30)
    assert refused.outcome is O.SKIPPED_GATES
    assert refused.run.user_note.startswith("gate failure: ")


def test_a_run_that_was_cancelled_before_it_began_does_nothing():
    cancel = Cancellation()
    cancel.request()
    result, client, _ = attempt(cancel=cancel)
    assert (result.outcome, client.requests) == (O.ABORTED, [])
    assert result.error.code == "interrupted"


@pytest.mark.parametrize("after", [1, 2, 13, 30, 60])
def test_a_cancel_is_heard_between_any_two_calls(after):
    cancel = Cancellation()
    client = model(likes_plus, plus)
    answer = client._answer

    def counting(request):
        if len(client.requests) == after:
            cancel.request()
        return answer(request)

    client._answer = counting
    result, _, _ = attempt(client=client, cancel=cancel, concurrency=1)
    assert result.outcome is O.ABORTED
    assert len(client.requests) == result.spend.calls == after


def test_an_exhausted_budget_ends_the_run_with_its_error():
    client = model(likes_plus, plus)
    answer = client._answer
    client._answer = lambda r: BudgetExceeded("Enough.") if len(client.requests) > 10 else answer(r)
    result, _, _ = attempt(client=client)
    assert (result.outcome, result.error.code, result.reason) == (O.ABORTED, "budget", "Enough.")


def test_the_search_leaves_the_proof_its_share_of_the_ceiling():
    client = model(likes_plus, plus)
    sink = MemorySink()

    async def mined():
        return dataset(holdout=20)

    used = RunPorts(running_judge(client), client, MODEL, mined, sink, calls_left=lambda: 100 - len(client.requests))
    result = asyncio.run(run_once(EvolutionRequest(TARGET, LIVE, settings=SETTINGS), used))
    assert result.outcome is O.SKIPPED_DELTA
    assert result.artifacts["stopReason"] == "budget"
    assert client.count(ModelRole.MUTATOR) == 0


def test_the_search_leaves_the_suite_its_share_of_the_ceiling_too(tmp_path):
    """Five cases on both sides take ten calls."""
    file = tmp_path / "greeter.eval.yaml"
    cases = "".join(f"  - {{name: c{i}, input: Hello {i}, checks: [{{contains: parcels}}]}}\n" for i in range(5))
    file.write_text(f"cases:\n{cases}", "utf-8")
    attached = looked_at(file)
    assert attached.problem is None

    def ended(ceiling, attached):
        client = model(likes_plus, plus)
        models = dict.fromkeys(ModelRole, MODEL)
        suite = None if attached is None else ModelSuite(attached, frozenset(), models, lambda role: client)

        async def mined():
            return dataset(holdout=30)

        used = RunPorts(
            running_judge(client), client, MODEL, mined, MemorySink(),
            calls_left=lambda: ceiling - len(client.requests), suite=suite,
        )  # fmt: skip
        result = asyncio.run(run_once(EvolutionRequest(TARGET, LIVE, settings=SETTINGS), used))
        return result.outcome, len(client.requests)

    free, needed = ended(10**6, None)
    enough = next(c for c in range(needed, needed + 200) if ended(c, None)[0] is free)
    assert ended(enough + 10, attached)[0] is free
    outcome, made = ended(enough + 9, attached)
    assert outcome is not free, "what the suite will take is not there for the search"
    assert made <= enough + 9


def test_an_unusable_judge_ends_the_run_and_says_so():
    result, _, _ = attempt(lambda actual, question: "I like it.")
    assert result.outcome is O.ABORTED
    assert result.reason.startswith("inconclusive: judge not usable (5 of 5")


def test_an_error_of_the_request_is_reported_and_raised():
    client = model(likes_plus, plus)
    sink = MemorySink()

    async def mined():
        raise InvalidInput("The dataset cannot be read.")

    with pytest.raises(InvalidInput):
        asyncio.run(
            run_once(EvolutionRequest(TARGET, LIVE), RunPorts(running_judge(client), client, MODEL, mined, sink))
        )
    assert [a.outcome for a in sink.attempts] == [O.ABORTED]


def noisy(actual, question):
    """Points that depend on text and question in a way that nobody can guess; longer texts get a little more."""
    mixed = sum(ord(c) * (i % 7 + 1) for i, c in enumerate(actual + question))
    points = mixed % 6 + min(4, len(actual) / 60)
    return (points, (mixed // 7) % 10, 5, f"remark {mixed % 5}")


def strategic(blocks):
    return f"{blocks['CURRENT PROMPT']} {blocks['STRATEGY'][:3]}"


STRUCTURED = SearchSettings(
    schema=SchemaSettings(population=3, generations=2, eval_size=5, anchor=6),
    instruction=InstructionSettings(population=4, generations=2, micro=4, mini=8, anchor=8),
)


def decisions(seed=1, width=1):
    client = model(noisy, strategic, pause=lambda r: (len(r.messages[0].content) % 5) / 3000)
    result, _, _ = attempt(
        client=client, seed=seed, concurrency=width, settings=STRUCTURED, allow_safe=True,
        gates=GateOptions(max_growth_ratio=3.0),
    )  # fmt: skip
    found = result.verification.verification.to_json() if result.verification else None
    return result.decisions.to_text(), result.run and result.run.winner_text, result.to_json() | {"spend": None}, found


def test_the_same_seed_decides_the_same_to_the_byte_whatever_the_width():
    once = decisions()
    assert decisions() == once
    assert decisions(width=8) == once


def test_another_seed_may_decide_otherwise():
    assert decisions(seed=2)[0] != decisions()[0]


def test_the_log_holds_no_clock_id_or_price():
    text = decisions()[0]
    assert not any(word in text for word in ("usd", "latency", "uuid", "created_at", "calls"))
