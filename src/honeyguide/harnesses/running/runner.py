"""Runs a harness once: model calls, tools, guardrails, verification with retries; every step in the journal.

Ceilings on cost, turns and time are looked at before each call. Nothing of a folder runs before it is trusted.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.redaction import Redactor, Screen
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.answering import Answering, RunEnded
from honeyguide.harnesses.running.conversation import Conversation, as_journaled
from honeyguide.harnesses.running.guardrails import Decision, Guardrails, RunState
from honeyguide.harnesses.running.host import CodeFailed, CodeHost
from honeyguide.harnesses.running.journal import JournalWriter
from honeyguide.harnesses.running.policies import Policy, StepHalted, policy_of
from honeyguide.harnesses.running.ports import RunPorts, new_run_id
from honeyguide.harnesses.running.prompts import system_prompt
from honeyguide.harnesses.running.recording import Recording
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.harnesses.running.spilling import Spill
from honeyguide.harnesses.running.support import require_supported
from honeyguide.harnesses.running.tool_use import ToolUse
from honeyguide.harnesses.running.tools import Toolset
from honeyguide.harnesses.spec.fingerprints import version_hash
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.kernel.errors import BudgetExceeded, HoneyguideError, Interrupted, ModelError
from honeyguide.llm.journal import redacted
from honeyguide.llm.protocol import (
    Message,
    ModelRef,
    ModelReply,
    ModelRequest,
    ModelRole,
    StopReason,
    Usage,
)
from honeyguide.llm.tools import ToolSpec

MOST_TRUNCATED: Final = 3
SUMMARY_RULES: Final = "Sum up this part of an agent's work: facts found, decisions, what is left to do. Be brief."
_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


async def run_harness(
    harness: Harness,
    spec: HarnessSpec,
    input: str,
    ports: RunPorts,
    *,
    run_id: str | None = None,
    requested: ModelRef | None = None,
    trace_dir: Path | None = None,
) -> RunOutcome:
    """Run a trusted harness on one input, which is literal text. Callers have checked trust.

    Args:
        spec: the harness's own, or one with another model.
        requested: the model that a person asked for in place of the spec's.
        trace_dir: where the journal goes; the harness's own folder when not given.

    Raises:
        Unsupported: the spec uses what our runner does not do.
        Conflict, Unwritable: the journal cannot be written.
        Interrupted, CancelledError: stopped; the journal says so.
    """
    require_supported(spec)
    run_id = run_id if run_id and _RUN_ID.fullmatch(run_id) else new_run_id()
    version = version_hash(spec, harness.root)
    redactor = Redactor(spec.logging.redact)
    identity = (spec.name, spec.id, version)
    folder = trace_dir or harness.trace_dir
    with JournalWriter(
        folder, run_id, identity, ports.clock, redactor, level=spec.logging.level, on_event=ports.on_event
    ) as journal:
        host = CodeHost(harness.root, spec.confinement, ports.environ, ports.child_command)
        try:
            return await _Run(harness, spec, version, input, ports, journal, host, redactor, requested).go()
        finally:
            await asyncio.to_thread(host.close)


class _Run:
    def __init__(
        self,
        harness: Harness,
        spec: HarnessSpec,
        version: str,
        input: str,
        ports: RunPorts,
        journal: JournalWriter,
        host: CodeHost,
        redactor: Redactor,
        requested: ModelRef | None,
    ) -> None:
        self.spec = spec
        self.input = input
        self.ports = ports
        self.journal = journal
        self.state = RunState()
        self.guardrails = Guardrails(spec, host)
        self.recording = Recording(harness, spec, version, input, journal, ports.quote, requested, self.state)
        self.conversation = Conversation(journal)
        self.policy: Policy = policy_of(spec, journal.write)
        context: dict[str, Any] = {
            "input": input,
            "harness_dir": str(harness.root),
            "run_id": journal.run_id,
            "harness_id": spec.id,
            "harness_name": spec.name,
            "harness_version_hash": version,
            "hive_path": None,
            "context": {},
        }
        spill_folder = journal.path.parent / "spill" / journal.run_id
        self.spill = Spill(spill_folder, spec.context.tool_results, redactor, journal.write)
        hooks = replace(ports.hooks, tell=journal.write)
        self.tools = Toolset(spec, harness.root, host, self.spill, context, hooks)
        self.answering = Answering(
            harness,
            spec,
            host,
            journal,
            self.guardrails,
            self.state,
            self.recording.tally,
            context,
            self._evidence,
        )
        self.use = ToolUse(
            spec,
            self.tools,
            self.policy,
            self.guardrails,
            self.answering,
            self.conversation,
            journal,
            self.spill,
            self.state,
        )
        self.truncated = 0
        egress = spec.egress
        self.screen = (
            None if egress.mode == "off" else Screen(egress.patterns, detect_credentials=egress.detect_credentials)
        )
        self._began = ports.clock.monotonic()

    # --- the whole run

    async def go(self) -> RunOutcome:
        """Run to the end, whatever it is."""
        self.recording.begin(screened=self.screen is not None)
        try:
            end = await self._to_the_end()
        except (Interrupted, asyncio.CancelledError):
            self._finish(RunEnded("stopped", "stopped by the person", self.state.output))
            raise
        return self._finish(end)

    async def _to_the_end(self) -> RunEnded:
        try:
            await asyncio.to_thread(self.tools.open)
            await self._loop()
        except RunEnded as end:
            return end
        except CodeFailed as error:
            return RunEnded("error", f"a tool cannot be loaded: {error}")
        except StepHalted as error:
            return RunEnded("step_failed", str(error), self.state.output)
        except BudgetExceeded as error:
            self.answering.trigger(Decision("budget", "halt", error.message), "")
            return RunEnded("guardrail_halt", error.message)
        except Interrupted:
            raise
        except ModelError as error:
            return RunEnded("error", f"{type(error).__name__}: {error.message}", self.state.output)
        except HoneyguideError as error:
            return RunEnded("error", error.message, self.state.output)
        raise AssertionError("a run says how it ended")

    async def _loop(self) -> None:
        opening = self.policy.opening()
        self.conversation.user(f"{self.input}\n\n{opening}" if opening else self.input)
        if self.policy.plans_first:
            self.conversation.assistant(await self._call("plan", with_tools=False))
            self.conversation.user("Now carry out the plan.")
        start = len(self.conversation.messages)
        while self.state.model_calls < self.spec.loop.max_turns:
            self.policy.before_call()
            reply = await self._call("act")
            self.conversation.assistant(reply)
            output = await self._output_of(reply)
            if output is None:
                continue
            if said := self.policy.next_message(output):
                self.conversation.user(said)
            elif self.policy.starts_over(output):
                self.state.output = output
                self.conversation.rewind(start)
            else:
                self.conversation.user(await self.answering.judge(self.policy.selected(output)))
        blocked = self.answering.blocked
        raise RunEnded(
            "max_turns", f"last output blocked: {blocked}" if blocked else "", None if blocked else self.state.output
        )

    async def _output_of(self, reply: ModelReply) -> str | None:
        """Return the answer in a reply; ``None`` when the run goes on first."""
        if reply.tool_calls:
            return await self.use.carry_out(reply)
        if reply.stop_reason is not StopReason.MAX_TOKENS:
            self.truncated = 0
            return reply.text
        self.truncated += 1
        said = {"consecutive": self.truncated, "text_chars": len(reply.text)}
        self.journal.write("turn_truncated", {**said, "output_tokens": reply.usage.output_tokens or 0})
        if self.truncated >= MOST_TRUNCATED or self.state.model_calls >= self.spec.loop.max_turns:
            await self.answering.judge_partial(reply.text, self.truncated)
        self.conversation.user("Your answer was cut off at the length limit. Give a shorter one.")
        return None

    # --- one call

    async def _call(self, phase: str, *, with_tools: bool = True) -> ModelReply:
        if reason := self.ports.is_stopped():
            raise RunEnded("stopped", reason, self.state.output)
        await self._make_room()
        system = system_prompt(self.spec, self.input, self.tools.guidelines, self.tools.notes_index)
        allowed = self.policy.allowed_tools()
        offered = tuple(t for t in self.tools.offered if with_tools and (allowed is None or t.name in allowed))
        self.conversation.frame(system, offered)
        request = self._request(system, offered)
        self._look_at_ceilings(request)
        request = self._screened(request, phase)
        payload = self.conversation.call_payload(self.state.turns, phase, self.spec.context.max_input_tokens)
        self.journal.write("model_call", payload)
        self.state.model_calls += 1
        reply = await self.ports.client.complete(request)
        self.state.turns += 1
        self.recording.reply(reply, phase)
        for decision in self.guardrails.after_reply(self.state):
            self._halt(decision, "after_model_response")
        return reply

    def _look_at_ceilings(self, request: ModelRequest) -> None:
        self.state.elapsed = self.ports.clock.monotonic() - self._began
        tokens = math.ceil(self.conversation.tokens() * 1.1) + 16
        self.state.pending_usd = self.recording.price(Usage(tokens, request.max_tokens))
        for decision in self.guardrails.before_call(self.state):
            self._halt(decision, "")

    def _request(self, system: str, offered: Sequence[ToolSpec]) -> ModelRequest:
        return ModelRequest(
            model=self.ports.model,
            messages=tuple(self.conversation.messages),
            system=system,
            max_tokens=self.spec.model.max_tokens,
            role=ModelRole.EXECUTOR,
            repetition=self.state.model_calls,
            temperature=self.spec.model.temperature,
            tools=tuple(offered),
        )

    async def _make_room(self) -> None:
        context = self.spec.context
        if context.strategy == "full" or len(self.conversation.messages) < 5:
            return
        if self.conversation.tokens() < context.max_input_tokens * context.compaction.trigger_at_pct / 100:
            return
        first, end = self.conversation.older_turns()
        if end > first:
            summarises = context.compaction.method == "summarize"
            summary = await self._summary(self.conversation.messages[first:end]) if summarises else ""
            self.conversation.shorten(context.compaction.method, summary)

    async def _summary(self, turns: Sequence[Message]) -> str:
        text = "\n".join(str(as_journaled(turn)["content"]) for turn in turns)
        payload = {"turn": self.state.turns, "phase": "compaction", "num_messages": 1, "inline": True}
        asked = [{"role": "user", "content": text}]
        self.journal.write("model_call", {**payload, "system": SUMMARY_RULES, "messages": asked})
        request = replace(
            self._request(SUMMARY_RULES, ()),
            messages=(Message("user", text),),
            max_tokens=self.spec.context.compaction.max_tokens or self.spec.model.max_tokens,
        )
        self._look_at_ceilings(request)
        reply = await self.ports.client.complete(self._screened(request, "compaction"))
        self.recording.reply(reply, "compaction")
        return reply.text

    def _screened(self, request: ModelRequest, phase: str) -> ModelRequest:
        if self.screen is None:
            return request
        texts = [request.system]
        for message in request.messages:
            texts += [message.content, *(result.content for result in message.tool_results)]
        found = self.screen.found_in("\n".join(texts))
        if not found:
            return request
        mode = self.spec.egress.mode
        kind = "provider_egress_blocked" if mode == "block" else "provider_egress_redacted"
        self.journal.write(kind, {"phase": phase, "patterns": found, "mode": mode})
        if mode == "block":
            raise RunEnded("error", "the request held what must not leave (egress.mode: block)", self.state.output)
        return redacted(request, self.screen.text)

    # --- ends

    def _evidence(self) -> Mapping[str, Any]:
        return {
            "run_id": self.journal.run_id,
            "tool_calls": self.use.calls,
            "steps": self.policy.records(),
            "artifacts": self.state.artifacts,
        }

    def _halt(self, decision: Decision, hook: str) -> None:
        self.answering.trigger(decision, hook)
        raise RunEnded("guardrail_halt", decision.reason)

    def _finish(self, end: RunEnded) -> RunOutcome:
        seconds = self.ports.clock.monotonic() - self._began
        verdicts, steps = self.answering.verdicts, self.policy.records()
        return self.recording.end(end.status, end.reason, end.output, seconds, verdicts, steps)
