"""Running: policies, tools in another process, guardrails, verification, ceilings, and journals that read back."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.host import CodeFailed, CodeHost, own_command
from honeyguide.harnesses.running.ports import RunPorts
from honeyguide.harnesses.running.runner import run_harness
from honeyguide.harnesses.running.support import model_ref, unsupported_parts, with_model
from honeyguide.harnesses.running.tools import RunHooks
from honeyguide.harnesses.spec.borders import Confinement
from honeyguide.harnesses.trust import TrustStore
from honeyguide.kernel.clock import SystemClock
from honeyguide.kernel.errors import Unreachable, Unsupported, Untrusted
from honeyguide.llm.prices import FreeQuote, ModelPrice, Rates, TableQuote
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest, StopReason, Usage
from honeyguide.llm.tools import ToolCall
from honeyguide.traces.readers.hiveloom import check_chain
from tests.fakes.harness_folders import FILES, SPEC, write_folder

Reply = str | ModelReply | Exception | Callable[[ModelRequest], ModelReply]


class Scripted:
    """A model that gives its replies in order; the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        if callable(reply):
            return reply(request)
        return ModelReply(reply, usage=Usage(100, 10)) if isinstance(reply, str) else reply


def calls(*named: tuple[str, Mapping[str, Any]]) -> ModelReply:
    made = tuple(ToolCall(f"t{n}", name, arguments) for n, (name, arguments) in enumerate(named))
    return ModelReply("", StopReason.TOOL_USE, Usage(50, 5), tool_calls=made)


def run(root: Path, *replies: Reply, input: str = "Where are the pens?", hooks: RunHooks | None = None, **more: Any):
    harness = Harness.open(root)
    model = Scripted(*replies)
    ports = RunPorts(model, model_ref(harness.spec), more.pop("quote", FreeQuote()), SystemClock(), os.environ)
    ports.hooks = hooks or ports.hooks
    outcome = asyncio.run(run_harness(harness, harness.spec, input, ports, **more))
    return outcome, model, journal(harness, outcome.run_id)


def journal(harness: Harness, run_id: str) -> list[dict[str, Any]]:
    text = (harness.trace_dir / f"{run_id}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def kinds(events: Sequence[Mapping[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


def with_spec(tmp_path: Path, extra: str, spec: str = SPEC, files: Mapping[str, str] = FILES) -> Path:
    return write_folder(tmp_path / "other", spec + extra, files)


def test_a_run_with_a_tool_and_two_validators_succeeds_and_its_journal_reads_back(root):
    outcome, model, events = run(root, calls(("open_drawer", {"number": 3})), "drawer: 3")
    assert (outcome.status, outcome.output, outcome.turns, outcome.exit_code) == ("success", "drawer: 3", 2, 0)
    assert kinds(events) == [
        "run_started", "context_append", "context_system", "context_tools", "model_call", "model_response",
        "context_append", "tool_call", "tool_result", "context_append", "model_call", "model_response",
        "context_append", "verification_result", "verification_result", "run_finished",
    ]  # fmt: skip
    assert events[8]["payload"]["content"] == "drawer 3: pens"
    assert model.asked[0].tools[0].parameters["properties"] == {"number": {"title": "Number", "type": "integer"}}
    assert model.asked[1].messages[-1].tool_results[0].content == "drawer 3: pens"
    harness = Harness.open(root)
    (summary,) = ingest(harness.trace_dir).runs
    assert (summary.status, summary.version, summary.chain) == ("success", harness.version, "intact")
    assert summary.features == ("input:short", "model:claude-haiku-4-5", "tool:open_drawer")
    with (harness.trace_dir / summary.trace).open("rb") as stream:
        assert check_chain(stream).checked == len(events)


def test_failed_verification_goes_back_to_the_model_and_ends_after_the_retries(root):
    outcome, model, _ = run(root, "in the third!", "drawer: 3")
    assert outcome.status == "success"
    assert "output must match" in model.asked[1].messages[-1].content
    assert "no exclamation marks" in model.asked[1].messages[-1].content
    assert outcome.data["execution"]["verification"] == {
        "attempts": 2,
        "first_pass_valid": False,
        "recovery_attempted": True,
        "recovered": True,
        "final_status": "passed",
    }
    outcome, model, _ = run(root, "nonsense")
    assert (outcome.status, outcome.exit_code, len(model.asked)) == ("verify_failed", 1, 3)


def test_a_tool_that_raises_is_tried_once_more_and_its_error_is_told(tmp_path):
    files = {**FILES, "tools/drawers.py": "def open_drawer(number: int) -> str:\n    raise ValueError('it is stuck')\n"}
    root = write_folder(tmp_path / "h", SPEC, files)
    outcome, model, events = run(root, calls(("open_drawer", {"number": 1})), "drawer: 1")
    assert "tool_retry" in kinds(events)
    result = model.asked[1].messages[-1].tool_results[0]
    assert (result.is_error, result.content) == (True, "tool raised ValueError: it is stuck")
    assert outcome.status == "success"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("file_read", {"path": "../secret.txt"}), "outside the harness folder"),
        (("file_read", {"path": ".env"}), "not for tools"),
        (("file_read", {"path": ".hiveloom/traces/x.jsonl"}), "not for tools"),
        (("no_such_tool", {}), "unknown tool"),
        (("open_drawer", {"wrong": 1}), "TypeError"),
    ],
)
def test_calls_that_cannot_be_carried_out_are_errors_for_the_model(root, call, said):
    (root.parent / "secret.txt").write_text("x")
    (root / ".env").write_text("KEY=1")
    _, model, _ = run(root, calls(call), "drawer: 1")
    result = model.asked[1].messages[-1].tool_results[0]
    assert result.is_error
    assert said in result.content


def test_reading_a_file_of_the_folder(root):
    (root / "list.txt").write_text("pens: 3")
    _, model, _ = run(root, calls(("file_read", {"path": "list.txt"})), "drawer: 3")
    assert model.asked[1].messages[-1].tool_results[0].content == "pens: 3"


def test_only_allowlisted_commands_run(tmp_path):
    spec = SPEC.replace(
        "- builtin: file_read", "- builtin: shell\n  commands: [echo hello, {argv: [echo], allow_extra_args: true}]"
    )
    root = with_spec(tmp_path, "", spec)
    commands = ["echo hello", "echo more words", "cat list.txt", "echo ../x"]
    _, model, _ = run(root, calls(*(("shell", {"command": c}) for c in commands)), "drawer: 1")
    results = model.asked[1].messages[-1].tool_results
    assert [r.is_error for r in results] == [False, False, True, True]
    assert results[0].content == "hello\n"


def test_the_code_sees_no_key_and_no_home(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    code = "import os\ndef open_drawer(number: int) -> str:\n    return repr(sorted(os.environ)) + os.environ['HOME']\n"
    root = write_folder(tmp_path / "h", SPEC, {**FILES, "tools/drawers.py": code})
    _, model, _ = run(root, calls(("open_drawer", {"number": 1})), "drawer: 1")
    content = model.asked[1].messages[-1].tool_results[0].content
    assert "ANTHROPIC" not in content
    assert str(Path.home()) not in content


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import time\ndef f(x): time.sleep(60)\n", "did not finish within 1s"),
        ("import os\ndef f(x): os._exit(3)\n", "ended"),
        ("def f(x): print('noise'); return 'fine'\n", None),
        ("def f(x): return bytearray(10**11)\n", "MemoryError"),
        ("raise ImportError('no such thing')\n", "no such thing"),
    ],
)
def test_code_that_misbehaves_harms_nobody(tmp_path, code, said, monkeypatch):
    monkeypatch.setattr("honeyguide.harnesses.running.host.STARTING_SECONDS", 2.0)
    (tmp_path / "t.py").write_text(code)
    host = CodeHost(tmp_path, Confinement(timeout_seconds=1, max_memory_mb=512), os.environ)
    try:
        if said is None:
            assert host.call("tool", "t.py", "f", arguments={"x": 1})["content"] == "fine"
        else:
            with pytest.raises(CodeFailed, match=said):
                host.call("tool", "t.py", "f", arguments={"x": 1})
        (tmp_path / "u.py").write_text("def g(x): return 'still here'\n")
        assert host.call("tool", "u.py", "g", arguments={"x": 1})["content"] == "still here"
    finally:
        host.close()


def test_a_frozen_program_runs_folder_code_by_starting_itself(root, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    command = [sys.executable, "-m", "honeyguide", *own_command()[1:]]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    host = CodeHost(root, Confinement(env_passthrough=["PYTHONPATH"]), environ, command)
    try:
        found = host.call("tool", "tools/drawers.py", "open_drawer", arguments={"number": 3})
    finally:
        host.close()
    assert found["content"] == "drawer 3: pens"


def test_folder_code_that_imports_hiveloom_runs_without_it(tmp_path):
    code = (
        "from hiveloom.tools import tool\nfrom hiveloom.tools.registry import Artifact, ToolResult\n"
        "@tool(description='d', tags=['read'], guidelines='Use it first.')\n"
        "def open_drawer(number: int, run_context: dict) -> ToolResult:\n"
        "    return ToolResult(content=run_context['run_id'], artifacts=[Artifact(kind='n', data={'n': number})])\n"
    )
    root = write_folder(tmp_path / "h", SPEC, {**FILES, "tools/drawers.py": code})
    outcome, model, _ = run(root, calls(("open_drawer", {"number": 7})), "drawer: 7")
    assert model.asked[1].messages[-1].tool_results[0].content == outcome.run_id
    assert outcome.data["artifacts"] == [{"kind": "n", "data": {"n": 7}, "tool": "open_drawer"}]
    assert model.asked[0].system.endswith("Use it first.")


# --- ceilings


PRICED = TableQuote(ModelPrice(Rates(1000.0, 1000.0, 1000.0, 1000.0)))


def test_the_next_call_is_not_made_when_it_would_cost_too_much(root):
    outcome, model, events = run(root, "drawer: 1", quote=PRICED)
    assert (outcome.status, outcome.exit_code, model.asked) == ("guardrail_halt", 2, [])
    assert "would exceed cost limit $0.50" in outcome.reason
    assert outcome.cost_usd == 0
    assert events[-2]["payload"]["guardrail"] == "max_cost_usd"


def test_a_reply_that_cost_too_much_ends_the_run(root):
    outcome, _, _ = run(root, ModelReply("drawer: 1", usage=Usage(10, 10), cost_usd=2.0, cost_is_reported=True))
    assert (outcome.status, outcome.reason) == ("guardrail_halt", "cost $2.0000 exceeded limit $0.50")
    assert outcome.data["execution"]["cost_source"] == "billed"


def test_turns_end_with_max_turns_or_with_the_hard_cap(tmp_path):
    loop = with_spec(tmp_path, "loop:\n  max_turns: 3\n")
    outcome, model, _ = run(loop, calls(("open_drawer", {"number": 1})))
    assert (outcome.status, outcome.exit_code, len(model.asked)) == ("max_turns", 4, 3)
    capped = SPEC.replace("  value: 0.5\n", "  value: 0.5\n- builtin: max_turns_hard_cap\n  value: 2\n")
    outcome, _, _ = run(write_folder(tmp_path / "cap", capped), calls(("open_drawer", {"number": 1})))
    assert (outcome.status, outcome.reason) == ("guardrail_halt", "turns reached hard cap 2")


def test_a_blocked_output_never_becomes_the_answer(tmp_path):
    spec = SPEC.replace("  value: 0.5\n", "  value: 0.5\n- builtin: regex_output_filter\n  pattern: 'secret'\n")
    root = with_spec(tmp_path, "loop:\n  max_turns: 2\n", spec)
    outcome, model, _ = run(root, "drawer: secret")
    assert (outcome.status, outcome.output) == ("max_turns", "")
    assert outcome.reason == "last output blocked: output blocked by filter /secret/"
    assert "Produce a compliant result" in model.asked[1].messages[-1].content


def test_a_code_guardrail_can_halt(tmp_path):
    spec = SPEC.replace("  value: 0.5\n", "  value: 0.5\n- code: guards.py:look\n")
    code = "def look(state):\n    return {'decision': 'halt', 'reason': 'no drawers today'}\n"
    root = write_folder(tmp_path / "h", spec, {**FILES, "guards.py": code})
    outcome, _, _ = run(root, "drawer: 1")
    assert (outcome.status, outcome.reason) == ("guardrail_halt", "no drawers today")


def test_an_answer_cut_off_three_times_ends_the_run(root):
    outcome, model, events = run(root, ModelReply("drawer", StopReason.MAX_TOKENS, Usage(1, 4096)))
    assert (outcome.status, len(model.asked), kinds(events).count("turn_truncated")) == ("truncated", 3, 3)


def test_a_model_that_cannot_be_reached_is_an_error_and_not_a_failure_of_the_answer(root):
    outcome, _, _ = run(root, Unreachable("nobody there"))
    assert (outcome.status, outcome.reason) == ("error", "Unreachable: nobody there")
    (summary,) = ingest(Harness.open(root).trace_dir).runs
    assert [f.category for f in summary.friction] == ["provider_error"]


# --- policies


def test_plan_then_act_plans_without_tools(tmp_path):
    root = with_spec(tmp_path, "loop:\n  policy: plan_then_act\n")
    outcome, model, events = run(root, "1. open it", "drawer: 1")
    assert outcome.status == "success"
    assert (model.asked[0].tools, bool(model.asked[1].tools)) == ((), True)
    assert [e["payload"]["phase"] for e in events if e["type"] == "model_call"] == ["plan", "act"]


STEPS = """\
loop:
  policy: sequential_steps
  steps:
  - id: look
    instruction: Open the drawer.
    tools: [open_drawer]
    require_tool_calls: [open_drawer]
    max_model_calls: 3
  - Say which drawer it is.
"""


def test_steps_are_walked_in_order_and_require_their_tools(tmp_path):
    root = with_spec(tmp_path, STEPS)
    outcome, model, events = run(root, "skipping", calls(("open_drawer", {"number": 2})), "opened", "drawer: 2")
    assert outcome.status == "success"
    assert "still needs: open_drawer" in model.asked[1].messages[-1].content
    assert [t.name for t in model.asked[0].tools] == ["open_drawer"]
    assert [s["status"] for s in outcome.data["steps"]] == ["completed", "completed"]
    assert outcome.data["steps"][0]["violations"]
    assert kinds(events).count("step_completed") == 2


def test_a_step_that_uses_up_its_calls_fails_the_run(tmp_path):
    outcome, _, _ = run(with_spec(tmp_path, STEPS), "skipping")
    assert (outcome.status, outcome.exit_code) == ("step_failed", 4)
    assert outcome.data["steps"][0]["status"] == "failed"


def test_best_of_n_hands_out_what_most_attempts_agree_on(tmp_path):
    root = with_spec(tmp_path, "loop:\n  policy: best_of_n\n  attempts: 3\n")
    outcome, model, events = run(root, "drawer: 1", "drawer: 2", "drawer:  2")
    assert (outcome.status, outcome.output) == ("success", "drawer: 2")
    assert len({len(request.messages) for request in model.asked}) == 1
    assert kinds(events).count("attempt_recorded") == 3
    assert len({request.request_hash for request in model.asked}) == 3


# --- what is written


def test_redaction_comes_before_the_journal_and_the_listener(tmp_path):
    root = with_spec(tmp_path, "logging:\n  redact: ['drawer-code-\\d+']\n")
    outcome, _, events = run(root, "drawer: drawer-code-7", input="it is drawer-code-5")
    assert "drawer-code-" not in json.dumps([e["payload"] for e in events if e["type"] != "run_started"])
    assert "[REDACTED]" in events[0]["payload"]["input"]
    assert outcome.output == "drawer: drawer-code-7"


def test_credentials_are_screened_from_requests(root):
    _, model, events = run(root, "drawer: 1", input="use AKIAABCDEFGHIJKLMNOP please")
    assert "AKIA" not in model.asked[0].messages[0].content
    assert "provider_egress_redacted" in kinds(events)


def test_a_long_result_is_kept_beside_the_journal_and_read_back(tmp_path):
    code = "def open_drawer(number: int) -> str:\n    return '\\n'.join(f'item {i}' for i in range(5000))\n"
    root = write_folder(tmp_path / "h", SPEC, {**FILES, "tools/drawers.py": code})

    def search(request: ModelRequest) -> ModelReply:
        shown = request.messages[-1].tool_results[0].content
        handle = shown.partition("handle ")[2].split()[0]
        return calls(("search_tool_result", {"handle": handle, "query": "item 4321"}))

    _, model, events = run(root, calls(("open_drawer", {"number": 1})), search, "drawer: 1")
    assert len(model.asked[1].messages[-1].tool_results[0].content) < 4000
    assert model.asked[2].messages[-1].tool_results[0].content == "4322: item 4321"
    (spilled,) = [e["payload"] for e in events if e["type"] == "tool_spilled"]
    assert list(Harness.open(root).trace_dir.glob(f"spill/*/{spilled['handle']}.txt"))


def test_a_long_conversation_is_summed_up_within_the_budget(tmp_path):
    root = with_spec(tmp_path, "context:\n  max_input_tokens: 400\n")
    (root / "list.txt").write_text("word " * 200)
    read = calls(("file_read", {"path": "list.txt"}))

    def answer(request: ModelRequest) -> ModelReply:
        return ModelReply("the list is long" if request.system.startswith("Sum up") else "drawer: 1")

    outcome, model, events = run(root, read, read, answer)
    assert outcome.status == "success"
    assert "context_compaction" in kinds(events)
    assert "the list is long" in model.asked[-1].messages[0].content


def test_the_summary_level_keeps_what_counts_and_the_chain(tmp_path):
    root = with_spec(tmp_path, "logging:\n  level: summary\n")
    _, _, events = run(root, calls(("open_drawer", {"number": 1})), "drawer: 1")
    assert set(kinds(events)) == {"run_started", "tool_call", "tool_result", "verification_result", "run_finished"}
    (summary,) = ingest(Harness.open(root).trace_dir).runs
    assert (summary.chain, summary.status) == ("intact", "success")


def test_lessons_stand_in_the_prompt_and_relevant_ones_are_chosen(tmp_path):
    memory = (
        "memory:\n  selection: relevant\n  entries:\n"
        "  - {id: pens, kind: rule, title: Pens, content: Pens are in three.}\n"
        "  - {id: glue, kind: rule, title: Glue, content: Glue dries.}\n"
    )
    _, model, _ = run(with_spec(tmp_path, memory), "drawer: 1")
    assert "Pens are in three." in model.asked[0].system
    assert "Glue" not in model.asked[0].system


def test_a_proposed_lesson_is_handed_to_the_queue(tmp_path):
    spec = SPEC.replace("- builtin: file_read", "- builtin: propose_memory\n  max_per_run: 1")
    taken: list[Mapping[str, Any]] = []

    def take(entry: Mapping[str, Any]) -> tuple[str, str]:
        taken.append(entry)
        return "queued", "prop_1"

    lesson = {"id": "a", "kind": "rule", "title": "t", "content": "c"}
    twice = calls(("propose_memory", lesson), ("propose_memory", lesson))
    _, model, events = run(with_spec(tmp_path, "", spec), twice, "drawer: 1", hooks=RunHooks(propose_memory=take))
    assert taken == [lesson]
    assert [r.is_error for r in model.asked[1].messages[-1].tool_results] == [False, True]
    assert "memory_proposed" in kinds(events)


# --- support, trust, models


def test_what_is_not_supported_is_refused_by_name(tmp_path):
    hook = "hooks:\n- {code: 'tools/drawers.py:open_drawer', event: run_started}\n"
    extra = "playbooks:\n- {name: a, description: d}\n" + hook
    root = with_spec(tmp_path, extra)
    assert unsupported_parts(Harness.open(root).spec) == ["playbooks", "hooks with code"]
    with pytest.raises(Unsupported, match="playbooks, hooks with code"):
        run(root, "drawer: 1")


def test_another_model_is_another_version(root):
    harness = Harness.open(root)
    other = with_model(harness.spec, ModelRef("anthropic", "claude-sonnet-5-5"))
    assert (other.model.provider, model_ref(other)) == ("claude", ModelRef("anthropic", "claude-sonnet-5-5"))
    assert other.model_copy(update={"model": harness.spec.model}) == harness.spec


def test_trust_is_given_to_content(root, tmp_path):
    store = TrustStore(tmp_path / "state")
    with pytest.raises(Untrusted, match="nobody"):
        store.require(Harness.open(root))
    store.trust(Harness.open(root), "2026-01-01T00:00:00Z")
    store.require(Harness.open(root))
    root.rename(tmp_path / "moved")
    store.require(Harness.open(tmp_path / "moved"))
    (tmp_path / "moved" / "tools" / "drawers.py").write_text("def open_drawer(n): return 'changed'\n")
    with pytest.raises(Untrusted, match="changed since"):
        store.require(Harness.open(tmp_path / "moved"))


def test_a_folder_without_code_needs_no_trust(tmp_path):
    root = write_folder(tmp_path / "h", "name: x\ndescription: d\nsystem_prompt: s\n", {})
    TrustStore(tmp_path / "state").require(Harness.open(root))
