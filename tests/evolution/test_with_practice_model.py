"""The whole pipeline with the practice model on the sample: real prompts, real parsing, real proof, no network."""

import asyncio
import json
from functools import cache

import pytest

from honeyguide.evals.datasets import build_dataset
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.judge import Judge
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evolution.decision import AttemptOutcome
from honeyguide.evolution.orchestrator import run_once
from honeyguide.evolution.presets import QUICK_CALLS, SETTINGS, Preset
from honeyguide.evolution.requests import EvolutionRequest, RunPorts
from honeyguide.kernel.resources import resource
from honeyguide.llm.practice.client import PracticeClient
from honeyguide.llm.protocol import ModelRef
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.traces.redaction import kinds_found
from honeyguide.workspace.sample.compose import compose_history
from tests.fakes.run_sink import MemorySink

PRACTICE = ModelRef("practice", "practice")


@cache
def history(persona):
    return [trace for trace in compose_history(1) if trace.persona_id == persona]


def evolve(persona, preset, seed=1, width=4):
    persona_file = resource("sample", "base", "personas", f"{persona}.json")
    live = json.loads(persona_file.read_text(encoding="utf-8"))["systemPrompt"]
    data = build_dataset(history(persona), scan=kinds_found, seed=seed)
    client = PracticeClient()
    judge = RunningJudge(PromptExecutor(client, PRACTICE), Judge(client, PRACTICE))

    async def mined():
        return data

    request = EvolutionRequest(
        TargetRef(TargetKind.PERSONA, persona), live, preset, SETTINGS[preset], seed=seed, concurrency=width
    )
    return asyncio.run(run_once(request, RunPorts(judge, client, PRACTICE, mined, MemorySink())))


def test_a_weak_prompt_gets_better_and_the_gain_is_proven_on_unseen_cases():
    result = evolve("coder", Preset.THOROUGH)
    found = result.verification.verification
    assert result.outcome is AttemptOutcome.PROPOSED
    assert (found.outcome.value, found.n >= 60) == ("verified_improvement", True)
    assert found.delta > 0.2
    assert len(result.run.winner_text) <= 1.2 * len(result.run.baseline_text)


@pytest.mark.parametrize(
    ("seeds", "least"), [(5, 5), pytest.param(20, 19, marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_a_prompt_that_needs_no_change_gets_none(seeds, least):
    outcomes = [evolve("planner", Preset.EFFICIENT, seed).outcome for seed in range(seeds)]
    assert outcomes.count(AttemptOutcome.SKIPPED_DELTA) >= least


def test_quick_keeps_its_ceiling():
    assert evolve("writer", Preset.QUICK).spend.calls <= QUICK_CALLS


def test_the_same_seed_gives_the_same_bytes_with_one_worker_and_with_eight():
    one, eight = evolve("writer", Preset.THOROUGH, width=1), evolve("writer", Preset.THOROUGH, width=8)
    assert one.decisions.to_text() == eight.decisions.to_text()
    assert one.run == eight.run
    assert one.verification.verification == eight.verification.verification
