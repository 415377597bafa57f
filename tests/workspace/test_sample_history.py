"""The sample's history: enough conversations, believable corrections, secrets to catch, several languages."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from honeyguide.llm.practice.reading import language_of
from honeyguide.traces.records import Trace, TraceOutcome
from honeyguide.workspace import Workspace
from honeyguide.workspace.sample import compose_history, write_base

HISTORY = list(compose_history())


def by_target() -> dict[str, list[Trace]]:
    found: dict[str, list[Trace]] = defaultdict(list)
    for trace in HISTORY:
        found[trace.facts.prompts[0].name].append(trace)
    return found


def test_every_target_of_the_sample_has_a_history():
    names = [
        "support",
        "coder",
        "writer",
        "analyst",
        "planner",
        "coreLoop",
        "qualityRules",
        "behavioralRules",
        "workPatterns",
    ]
    assert set(by_target()) == {*names, "intelligenceDefaults", "search_orders", "release-notes"}


def test_there_are_enough_different_conversations():
    for name, traces in by_target().items():
        inputs = {
            trace.payload.input.strip().casefold() for trace in traces if trace.outcome is not TraceOutcome.ABANDONED
        }
        assert len(inputs) >= (320 if name in ("support", "coder") else 64), name


def test_corrections_say_what_was_wrong_and_keep_the_bad_answer():
    corrected = [trace for trace in HISTORY if trace.outcome is TraceOutcome.CORRECTED]
    assert len(corrected) > 100
    assert all(trace.payload.correction_feedback and trace.payload.output for trace in corrected)
    assert all(trace.payload.correction_feedback is None for trace in HISTORY if trace not in corrected)


def test_several_languages_are_spoken():
    spoken = Counter(language_of(trace.payload.input) for trace in by_target()["support"])
    assert min(spoken[language] for language in ("en", "de", "fr", "es")) >= 15


def test_the_same_seed_composes_the_same_history_and_another_does_not():
    assert list(compose_history(1)) == HISTORY
    assert list(compose_history(2)) != HISTORY


def test_each_trace_can_be_imported_once():
    keys = [(trace.facts.source, trace.facts.source_key) for trace in HISTORY]
    assert len(set(keys)) == len(keys)


def test_no_slot_stays_open():
    assert not [t for t in HISTORY if "{" in t.payload.input + t.payload.output]


def test_the_base_files_are_written_once_and_private(tmp_path):
    written = write_base(tmp_path)
    assert len(written) == 8
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    (tmp_path / "base" / "personas" / "coder.json").write_text("mine", encoding="utf-8")
    assert write_base(tmp_path) == []
    assert (tmp_path / "base" / "personas" / "coder.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.anyio
async def test_two_sample_workspaces_hold_the_same_examples(tmp_path):
    hashes = []
    for name in ("one", "other"):
        workspace = await Workspace.create(tmp_path / name, sample=True)
        hashes.append([(await workspace.build_dataset(target)).dataset_hash for target in ("support", "coreLoop")])
        await workspace.close()
    assert hashes[0] == hashes[1]
