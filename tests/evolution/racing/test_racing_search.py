"""The search behind its port: real requests, real parsing, a model in a few lines, a real journal."""

import asyncio
import json
from collections import Counter

import pytest

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.instruction_search import GenerationalSearch
from honeyguide.evolution.presets import SETTINGS, Preset
from honeyguide.evolution.racing import RacingSearch, RacingSettings, TextParts
from honeyguide.evolution.scoring import TooManyUnscored
from honeyguide.kernel.choice import unit
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import InvalidInput, Unreachable
from honeyguide.llm.journal import Journal, JournaledClient
from honeyguide.llm.protocol import ModelRole
from tests.evolution.racing.towns import ALL_RULES, START, TOPICS, answer, grade, guests, reflect, rule, task
from tests.evolution.worlds import model, ports
from tests.fakes.evals_model import blocks_of

SMALL = RacingSettings(evaluations=120, anchor=18, first_look=18)


def town(pause=None, **others):
    return model(**{"grade": grade, "mutate": reflect, "answer": answer, "pause": pause, **others})


def run(client, settings=SMALL, *, width=1, given=None, search=None, **others):
    used = ports(client, width=width, **others)
    return asyncio.run((search or RacingSearch(settings)).search(given or task(), used)), used


def slowly(request):
    return unit(3, request.request_hash) / 500


def test_it_finds_the_rules_that_are_missing():
    result, _ = run(town(), RacingSettings(evaluations=240, anchor=18, first_look=18))
    found = [topic for topic in TOPICS if rule(topic) in result.winner.candidate.text]
    assert len(found) >= 5
    assert result.improved
    assert result.delta > 0.4
    assert result.stop_reason in ("done", "nothing-to-improve", "settled")


def test_its_result_says_where_the_text_came_from():
    result, _ = run(town())
    names = [c.id for c in result.history]
    assert names[0] == "g0-baseline"
    assert len(names) == len(set(names))
    assert result.winner.candidate in result.history
    assert {g.best for g in result.generations} <= set(names)
    assert result.front
    assert {f.candidate.id for f in result.finalists} == {result.winner.candidate.id, "g0-baseline"}
    assert len(result.development_pairs(result.winner)) == 18


@pytest.mark.parametrize("width", [2, 8])
def test_the_log_is_the_same_for_the_same_seed_whatever_the_width_and_the_latency(width):
    once = run(town())[1].log.to_text()
    assert run(town(slowly), width=width)[1].log.to_text() == once
    assert run(town(), given=task(seed=2))[1].log.to_text() != once


def test_as_many_calls_as_allowed_are_under_way_and_no_more():
    client = town(lambda request: 0.001)
    run(client, width=8)
    assert client.most_under_way == 8


def test_calls_lie_within_what_was_planned_and_one_in_eight_reflects():
    client = town()
    result, used = run(client)
    low, high = RacingSearch(SMALL).calls(guests(18, "t"), guests(18, "v"))
    assert low <= len(client.requests) <= high
    assert client.count(ModelRole.MUTATOR) <= 120 / 8
    assert used.ledger.evaluated <= 120 + 36
    assert result.live.scores


def test_one_reflection_shows_failures_of_several_kinds_and_answers_without_fault():
    client = town()
    run(client)
    asked = [blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR]
    shown = [Counter(topic for topic in TOPICS if f"price of {topic} is" in b["FAILURES"]) for b in asked]
    assert max(len(kinds) for kinds in shown) >= 3
    assert any("GOOD ANSWERS" in b for b in asked)
    assert len({b["STRATEGY"].split(":")[0] for b in asked}) > 1


def test_the_budget_is_never_exceeded_and_leaves_room_for_the_last_measurement():
    for budget in (0, 60, 150, 200):
        client = town()
        result, _ = run(client, may_spend=lambda calls, most=budget, used=client: len(used.requests) + calls <= most)
        assert len(client.requests) <= max(budget, 72)
        assert result.stop_reason in ("budget", "settled")


def test_a_text_that_fails_a_gate_is_never_run():
    def no_luggage(text):
        return GateResult("leaks", "fail", "no luggage") if "luggage" in text else None

    client = town()
    result, _ = run(client, first_failed_gate=no_luggage)
    assert not any("luggage" in r.system for r in client.requests if r.role is ModelRole.EXECUTOR)
    assert [c.refused.reason for c in result.history if c.refused] != []
    assert "luggage" not in result.winner.candidate.text


def test_a_prompt_that_leaves_nothing_to_improve_costs_a_first_look():
    client = town()
    result, _ = run(client, given=task(text=ALL_RULES))
    assert result.stop_reason == "nothing-to-improve"
    assert not result.improved
    assert client.count(ModelRole.MUTATOR) == 0
    assert client.count(ModelRole.EXECUTOR) <= 18 + 12 + 36


@pytest.mark.parametrize("reply", ["", "<new_prompt>\n</new_prompt>", "I cannot do that:"])
def test_malformed_rewrites_cost_no_evaluation(reply):
    client = town()
    inner = client._answer
    client._answer = lambda request: reply if request.role is ModelRole.MUTATOR else inner(request)
    result, _ = run(client)
    systems = {r.system for r in client.requests if r.role is ModelRole.EXECUTOR}
    assert systems == {START}
    assert result.winner.candidate.id == "g0-baseline"


def test_a_mutator_that_is_down_ends_the_search_with_the_reason():
    client = town()
    inner = client._answer
    client._answer = lambda request: Unreachable("down") if request.role is ModelRole.MUTATOR else inner(request)
    result, _ = run(client)
    assert result.stop_reason.startswith("mutator-failed")
    assert client.count(ModelRole.MUTATOR) <= 6
    assert result.winner.candidate.id == "g0-baseline"


def test_a_provider_that_is_down_ends_the_search_with_the_reason():
    client = town()
    client._answer = lambda request: Unreachable("down")
    with pytest.raises(TooManyUnscored, match="executor-failed"):
        run(client)
    assert len(client.requests) <= 20


def test_texts_in_parts_are_joined_again_and_reflected_on_one_at_a_time():
    search = RacingSearch(SMALL, TextParts(lambda text: tuple(text.split("\n===\n")), "\n===\n".join))
    client = town()
    both = f"{START}\n===\nTool: say the price."
    result, _ = run(client, given=task(text=both), search=search)
    currents = {blocks_of(r)["CURRENT PROMPT"] for r in client.requests if r.role is ModelRole.MUTATOR}
    assert all("===" not in text for text in currents)
    assert result.winner.candidate.text.count("\n===\n") == 1


def test_a_prompt_of_one_paragraph_is_searched_sentence_by_sentence():
    """The same world in prose: the model sees and writes a single line, and each rule is tried by itself."""
    start = f"{START} Stay polite at all times."

    def said(topic):
        return rule(topic).removeprefix("- ")

    def in_lines(text):
        for topic in TOPICS:
            text = text.replace(f" {said(topic)}", f"\n{rule(topic)}")
        return text

    def rewrite(blocks):
        lines = reflect({**blocks, "CURRENT PROMPT": in_lines(blocks["CURRENT PROMPT"])}).split("\n")
        return " ".join(line.removeprefix("- ") for line in lines)

    client = town(mutate=rewrite, answer=lambda system, question: answer(in_lines(system), question))
    result, used = run(
        client, RacingSettings(evaluations=240, anchor=18, first_look=18), given=task(text=start)
    )  # fmt: skip
    text = result.winner.candidate.text
    assert "\n" not in text
    assert text.startswith(start)
    assert sum(said(topic) in text for topic in TOPICS) >= 5
    proposed = [json.loads(line) for line in used.log if '"decision":"proposed"' in line]
    assert {str(p["new"]).count(".") for p in proposed if p["old"] is None} == {1}


class Killed(BaseException):
    """Stands for a killed process: nothing that comes later happens."""


class Provider:
    """A model that dies at its n-th call, and counts what was paid for."""

    def __init__(self, dies_at):
        self.inner, self.dies_at, self.paid = town(slowly), dies_at, 0

    async def complete(self, request):
        if self.paid >= self.dies_at:
            raise Killed
        self.paid += 1
        return await self.inner.complete(request)


def on_journal(path, dies_at=10**9, width=4):
    provider, log = Provider(dies_at), DecisionLog()
    with Journal(path, clock=ManualClock()) as journal:
        used = ports(JournaledClient(provider, journal), width=width, log=log)
        result = asyncio.run(
            RacingSearch(RacingSettings(evaluations=60, anchor=12, first_look=18)).search(task(), used)
        )
    return provider.paid, log.to_text(), result.winner.candidate.text


def entries(path):
    return sorted(path.read_text(encoding="utf-8").splitlines())


def test_a_run_killed_at_any_moment_goes_on_as_if_nothing_had_happened(tmp_path):
    whole = tmp_path / "whole.jsonl"
    paid, log, text = on_journal(whole)
    for attempt in range(20):
        path = tmp_path / f"{attempt}.jsonl"
        moment = 1 + int(unit(9, "kill", attempt) * (paid - 1))
        with pytest.raises(Killed):
            on_journal(path, moment)
        known = len(entries(path))
        assert moment - 4 <= known <= moment, "at most the calls under way are lost"
        again, log_again, text_again = on_journal(path)
        assert (log_again, text_again) == (log, text)
        assert again == paid - known, "no paid call is repeated"
        assert entries(path) == entries(whole)


def test_progress_is_told_with_the_candidate_that_leads():
    events = []
    run(town(), report=events.append)
    assert events[0].message == "start"
    assert events[-1].message == "anchor"
    assert {e.stage for e in events} == {"instruction"}
    assert all(json.dumps(e.to_json()) for e in events)


def test_it_needs_training_examples():
    with pytest.raises(InvalidInput, match="no training example"):
        run(town(), given=task(train=0))


def test_the_efficient_preset_races_and_the_thorough_one_keeps_its_generations():
    efficient = SETTINGS[Preset.EFFICIENT].searches().instruction_search
    assert isinstance(efficient, RacingSearch)
    assert efficient.settings.evaluations == 4 * 3 * 24
    assert isinstance(SETTINGS[Preset.THOROUGH].searches().instruction_search, GenerationalSearch)


def test_without_generations_nothing_is_searched():
    client = town()
    none = SETTINGS[Preset.EFFICIENT].with_sizes(generations=0).searches().instruction_search
    result, _ = run(client, search=none)
    assert result.winner.candidate.id == "g0-baseline"
    assert {r.system for r in client.requests if r.role is ModelRole.EXECUTOR} == {START}
