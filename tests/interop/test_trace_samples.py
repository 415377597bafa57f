"""Public samples and trial inputs: the counts that were checked by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from honeyguide.traces.readers.detect import FileReport, ReadOptions, import_counts, read_path, read_tree
from honeyguide.traces.readers.hiveloom import check_chain, merged_runs, read_journal
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import TokenCounts, TraceOutcome

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")).resolve()
TRACES, TRIALS, EDGE = DATA / "traces", DATA / "trials", DATA / "hiveloom" / "_edge"

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="the shared samples are not here")


def need(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not among the samples")
    return path


def read(path: Path):
    report = FileReport(path)
    conversations = list(read_path(need(path), report=report))
    return conversations, report


def health(report: FileReport) -> dict[str, list[int]]:
    return {problem.name: problem.lines for problem in report.health}


SAMPLES = [
    # path, source, conversations, human prompts, replies, tool calls, tokens in, tokens out
    ("claude-code/sample_session.jsonl", "claude-code", 1, 2, 3, 2, None, None),
    ("claude-code/dag_compact_after_rewind.jsonl", "claude-code", 1, 4, None, None, 50, 25),
    ("claude-code/edge_cases.jsonl", "claude-code", 2, 3, 4, 3, 488, 435),
    ("codex/rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl", "codex", 1, 1, 1, 3, None, None),
    ("codex/session-alpha.jsonl", "codex", 1, 0, 0, 0, 3500, 425),
    ("otel-genai/otel_genai_client_span_tool_calls.json", "otlp", 1, 1, 2, 1, 97, 52),
    ("otel-genai/otel_genai_deprecated_client_span_tool_calls.json", "otlp", 1, 1, 2, 1, 97, 52),
    ("openinference/openinference_client_span_tool_calls.json", "openinference", 1, 1, 2, 1, 97, 52),
    ("langfuse/openai-agents-2025-09-30.trace.json", "langfuse", 1, 1, None, 1, 140, 44),
    ("promptfoo/sample-export.json", "promptfoo", 2, 4, 4, 0, 156, 708),
    ("inspect/log_formats.eval", "inspect", 1, 1, 1, 0, 66, 2),
    ("openai-finetune/toy_chat_fine_tuning.jsonl", "openai-chat", 4, 7, 7, 0, None, None),
    ("hiveloom/run_a6b564fc2a8c4c3a.jsonl", "hiveloom", 1, 1, 3, 0, 630, 72),
    ("hiveloom/run_c6c56231648e4220.jsonl", "hiveloom", 1, 1, 2, 0, 420, 48),
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample[0])
def test_a_sample_holds_what_was_counted_by_hand(sample):
    path, source, conversations, humans, replies, tools, given, made = sample
    found, report = read(TRACES / path)
    counts = import_counts(found)
    assert report.source == source
    assert (counts["conversations"], counts["human_prompts"]) == (conversations, humans)
    assert replies is None or counts["replies"] == replies
    assert tools is None or counts["tool_calls"] == tools
    assert (counts["tokens"]["input"], counts["tokens"]["output"]) == (given, made)
    again = list(read_path(TRACES / path))
    assert import_counts([*found, *again]) == counts


def test_a_silent_failure_is_unknown_and_no_success():
    found, _ = read(TRACES / "claude-code/sample_session.jsonl")
    assert {trace.outcome for trace in found[0].traces} == {TraceOutcome.PENDING}
    assert found[0].traces[-1].facts.outcome_detail == "unknown"
    assert found[0].tokens == TokenCounts()
    assert all(call.result is not None for trace in found[0].traces for call in trace.payload.tool_calls)
    assert found[0].project == "/project"


def test_a_step_back_is_evidence_and_its_branch_is_left_behind():
    found, _ = read(TRACES / "claude-code/dag_compact_after_rewind.jsonl")
    people = [turn.text for turn in found[0].turns if turn.is_human and not turn.left_behind]
    assert people == ["Start", "Second attempt", "Keep going", "After compaction"]
    assert [signal.replacement for signal in found[0].signals] == ["Second attempt"]


def test_damaged_lines_are_named_in_the_sample_of_edge_cases():
    found, report = read(TRACES / "claude-code/edge_cases.jsonl")
    assert health(report) == {"malformed": [10, 11, 18], "not-an-object": [13, 15, 16], "unknown-type": [14]}
    machine = [turn for turn in found[0].turns if turn.machine]
    assert len(machine) == 3
    failed = [c for conv in found for t in conv.traces for c in t.payload.tool_calls if c.ok is False]
    assert len(failed) == 1
    assert any("العربية" in turn.text and "🎉" in turn.text for turn in found[0].turns)


def test_sealed_reasoning_is_not_kept():
    found, report = read(TRACES / "codex/rollout-2026-01-02T03-04-05-11111111-1111-4111-8111-111111111111.jsonl")
    assert "SYNTHETIC_ENCRYPTED" not in repr(found)
    assert found[0].traces[0].model == "synthetic-model"
    assert health(report) == {"unknown-type": [14]}


def test_usage_is_split_by_model():
    found, _ = read(TRACES / "codex/session-alpha.jsonl")
    assert [(t.payload.tokens.input, t.payload.tokens.output) for t in found[0].traces] == [(1000, 125), (2500, 300)]
    assert found[0].tokens.cache_read == 750


@pytest.mark.parametrize("sample", SAMPLES[5:8], ids=lambda sample: sample[1])
def test_one_call_told_by_three_conventions_is_the_same_call(sample):
    trace = read(TRACES / sample[0])[0][0].traces[0]
    assert trace.payload.input == "Weather in Paris?"
    assert trace.payload.output.startswith("The weather in Paris is currently rainy")
    assert [(c.tool, c.args, c.result) for c in trace.payload.tool_calls] == [
        ("get_weather", {"location": "Paris"}, "rainy, 57°F")
    ]
    assert trace.model == "gpt-4-0613"


def test_machine_scores_stay_machine_scores():
    trace = read(TRACES / "langfuse/openai-agents-2025-09-30.trace.json")
    found = trace[0][0]
    assert found.signals == ()
    assert found.traces[0].payload.input == "What's the weather in Tokyo?"
    assert (found.traces[0].cost_usd, found.traces[0].duration_ms) == (pytest.approx(0.000632), 2190)
    assert sorted(found.traces[0].payload.tags) == ["machine-score:hallucination=0", "machine-score:toxicity=0.8"]


def test_performance_failures_are_no_prompt_failures():
    found, _ = read(TRACES / "promptfoo/sample-export.json")
    traces = [trace for conversation in found for trace in conversation.traces]
    details = [trace.facts.outcome_detail for trace in traces]
    assert sum("latency" in detail for detail in details) == 4
    assert sum("cost" in detail for detail in details) == 1
    assert all(detail.startswith("performance:") for detail in details)
    assert sum(trace.cost_usd for trace in traces) == pytest.approx(0.003981)
    counts = import_counts(found)
    assert counts["judge_tokens"] == 989
    assert counts["tokens"]["input"] + counts["tokens"]["output"] == 864


def test_references_are_not_shown_as_success():
    found, report = read(TRACES / "openai-finetune/toy_chat_fine_tuning.jsonl")
    assert {t.facts.outcome_detail for c in found for t in c.traces} == {"reference"}
    assert health(report) == {"no-input": [4]}
    assert max(len(t.payload.output) for c in found for t in c.traces) == 26_000


def test_an_inspect_log_keeps_its_target_and_verdict():
    trace = read(TRACES / "inspect/log_formats.eval")[0][0].traces[0]
    assert trace.payload.output == "No"
    assert "target: Yes" in trace.payload.tags
    assert (trace.model, trace.facts.outcome_detail) == ("ollama/llama3.1", "failed-check: match")


def test_hiveloom_runs_their_costs_and_their_machines_words():
    failed = read(TRACES / "hiveloom/run_a6b564fc2a8c4c3a.jsonl")[0][0]
    good = read(TRACES / "hiveloom/run_c6c56231648e4220.jsonl")[0][0]
    assert (failed.traces[0].cost_usd, good.traces[0].cost_usd) == (0.00099, 0.00066)
    assert failed.traces[0].facts.outcome_detail == "failed-check: regex_match"
    assert good.traces[0].outcome is TraceOutcome.VERIFIED
    assert failed.signals == good.signals == ()
    assert read(TRACES / "hiveloom/construction.jsonl")[0] == []


# Trials


def trial(name: str):
    folder = need(TRIALS / name)
    reports: list[FileReport] = []
    conversations = list(read_tree(folder, ReadOptions(), reports.append))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return conversations, [report for report in reports if report.source], expected


def test_streamed_replies_are_counted_once():
    found, _, expected = trial("T01-streaming-duplicates")
    counts = import_counts(found)
    assert counts["conversations"] == expected["sessions"]
    assert counts["human_prompts"] == expected["human_prompts"]
    assert counts["replies"] == expected["assistant_turns"]
    assert counts["tool_calls"] == expected["tool_calls"]
    assert counts["tokens"]["input"] == expected["input_tokens"]
    assert counts["tokens"]["output"] == expected["output_tokens"]
    assert counts["tokens"]["cache_read"] == expected["cache_read"]


def test_a_sub_agent_that_replays_its_parent_counts_its_own_only():
    found, _, expected = trial("T03-codex-cumulative")
    by_key = {conversation.key: conversation for conversation in found}
    counts = import_counts(found)
    assert counts["conversations"] == expected["sessions"]
    assert counts["human_prompts"] == expected["human_prompts"]
    assert {key: c.parent for key, c in by_key.items() if c.parent} == expected["child_of"]
    (child_key, parent_key) = next(iter(expected["child_of"].items()))
    parent, child = by_key[parent_key], by_key[child_key]
    assert [parent.tokens.input, parent.tokens.output] == expected["parent_tokens"]
    assert [child.tokens.input, child.tokens.output] == expected["child_own_tokens"]
    assert [counts["tokens"]["input"], counts["tokens"]["output"]] == expected["total_tokens"]
    assert len([t for t in child.turns if t.machine]) == expected["subagent_prompts"]
    assert parent.traces[0].outcome is TraceOutcome.ABANDONED
    assert "probably refused" in parent.traces[0].facts.outcome_detail


def test_a_damaged_file_gives_all_that_is_whole():
    found, reports, expected = trial("T04-damaged-file")
    counts = import_counts(found)
    assert (counts["human_prompts"], counts["replies"]) == (expected["human_prompts"], expected["assistant_turns"])
    assert [counts["tokens"]["input"], counts["tokens"]["output"]] == expected["tokens"]
    said = [turn.text for turn in found[0].turns if turn.is_human]
    assert said[1] == expected["text_of_second_prompt"]
    skipped, noted = expected["skipped"], reports[0].health.counts()
    assert noted["broken-json"] == skipped["broken_json"]
    assert noted["not-an-object"] == skipped["non_object"]
    assert noted["nul-bytes"] == skipped["nul_padding"]
    assert noted["unknown-type"] == skipped["unknown_kind"]
    assert noted["blank-line"] == skipped["blank"]


def test_an_agents_span_does_not_repeat_its_childs_usage():
    found, _, expected = trial("E2-otlp")
    counts = import_counts(found)
    trace = found[0].traces[0]
    assert (counts["traces"], counts["replies"]) == (expected["traces"], expected["model_calls"])
    assert counts["tokens"]["input"] == expected["input_tokens"]
    assert counts["tokens"]["output"] == expected["output_tokens"]
    assert (trace.payload.input, trace.payload.output) == (expected["input"], expected["output"])
    assert found[0].prompts[0].text == expected["system"]
    assert trace.duration_ms == expected["duration_s"] * 1000
    score = expected["machine_score"]
    assert trace.payload.tags == (f"machine-score:{score['name']}={score['label']}",)
    assert found[0].signals == ()


@pytest.mark.parametrize("name", ["T06-bom-crlf", "T08-body-vs-file", "T09-variables", "T11-reflection-replies"])
def test_folders_without_history_give_none(name):
    assert import_counts(read_tree(need(TRIALS / name)))["traces"] == 0


# hiveloom journals

CHAINS = sorted((EDGE / "chain").glob("*.jsonl")) if EDGE.is_dir() else []


@pytest.mark.parametrize("path", CHAINS, ids=lambda path: path.stem)
def test_the_chain_is_judged_as_by_the_original(path):
    expected = json.loads((EDGE / "chain/expected.json").read_text(encoding="utf-8"))[path.name]
    with path.open("rb") as stream:
        found = check_chain(stream)
    assert {
        "ok": found.ok,
        "checked": found.checked,
        "chained": found.chained,
        "broken_at": found.broken_at,
        "reason": found.reason,
    } == expected


EDGES = {
    # folder: statuses of the runs that belong to the harness of the folder
    "garbage-lines": ["success"],
    "missing-payload": [],
    "no-id-envelope": [],
    "non-utf8": [],
    "null-cost": ["success"],
    "null-payload": [],
    "same-run-two-files": ["success"],
    "same-run-two-files-reversed": ["success"],
    "seq-string": ["success"],
    "two-finished": ["success"],
    "u2028-in-output": ["success"],
    "unknown-event": ["success"],
    "unknown-status": ["banana"],
}


@pytest.mark.parametrize("name", EDGES)
def test_an_odd_journal_never_stops_the_others(name):
    folder = need(EDGE / name)
    journals = []
    for path in sorted(folder.glob(".hiveloom/traces/**/*.jsonl")):
        with path.open("rb") as stream:
            journals.append(read_journal(stream, ReadContext(name=path.name)))
    runs = [run for run in merged_runs(journals).values() if run.harness_id == "hl-edge00000000"]
    assert [run.status for run in runs] == EDGES[name]


def test_every_journal_of_the_fixture_harnesses_is_intact():
    paths = [
        path
        for path in sorted((DATA / "hiveloom").glob("*/.hiveloom/traces/run_*.jsonl"))
        if not path.parts[-4].startswith("_")
    ]
    if not paths:
        pytest.skip("no harness folders among the samples")
    for path in paths:
        with path.open("rb") as stream:
            found = check_chain(stream)
        assert found.ok, f"{path.name}: {found.reason}"
