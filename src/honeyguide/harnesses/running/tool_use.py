"""The tool calls of a turn: guardrails and step limits first, then the call, once more where that may help."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from honeyguide.harnesses.running.answering import Answering, RunEnded
from honeyguide.harnesses.running.conversation import Conversation
from honeyguide.harnesses.running.guardrails import Guardrails, RunState
from honeyguide.harnesses.running.journal import JournalWriter
from honeyguide.harnesses.running.policies import Policy
from honeyguide.harnesses.running.spilling import Spill
from honeyguide.harnesses.running.tools import Outcome, Toolset
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.llm.protocol import ModelReply
from honeyguide.llm.tools import ToolCall, ToolResult


@dataclass(slots=True)
class ToolUse:
    """Carries out the calls of one run.

    Attributes:
        calls: every call with its result, for validators to look at.
    """

    spec: HarnessSpec
    tools: Toolset
    policy: Policy
    guardrails: Guardrails
    answering: Answering
    conversation: Conversation
    journal: JournalWriter
    spill: Spill
    state: RunState
    calls: list[dict[str, Any]] = field(default_factory=list)

    async def carry_out(self, reply: ModelReply) -> str | None:
        """Carry out the calls of a turn, one after the other; return the answer when all say theirs is it."""
        outcomes = [await self._use(call) for call in reply.tool_calls]
        self.conversation.results(
            [
                ToolResult(call.id, self.spill.shown(call.name, outcome.content), outcome.is_error)
                for call, outcome in zip(reply.tool_calls, outcomes, strict=True)
            ]
        )
        failed = [outcome for outcome in outcomes if outcome.is_error]
        if failed and self.spec.loop.on_tool_error == "abort":
            raise RunEnded("error", f"tool error: {failed[0].content[:300]}")
        return outcomes[-1].content if all(o.terminate and not o.is_error for o in outcomes) else None

    async def _use(self, call: ToolCall) -> Outcome:
        self.journal.write("tool_call", {"name": call.name, "input": dict(call.arguments), "id": call.id})
        outcome = self._refused(call)
        if outcome is None:
            outcome = await asyncio.to_thread(self.tools.call, call)
            if outcome.is_error and outcome.retryable and self.spec.loop.on_tool_error == "retry_once":
                self.journal.write("tool_retry", {"id": call.id, "name": call.name})
                outcome = await asyncio.to_thread(self.tools.call, call)
            self.policy.called(call.name, succeeded=not outcome.is_error)
            self.state.artifacts += [{**artifact, "tool": call.name} for artifact in outcome.artifacts]
        seen = {"id": call.id, "name": call.name, "is_error": outcome.is_error}
        self.calls.append({**seen, "input": dict(call.arguments), "result": outcome.content})
        artifacts = [dict(artifact) for artifact in outcome.artifacts]
        self.journal.write("tool_result", {**seen, "content": outcome.content, "artifacts": artifacts})
        return outcome

    def _refused(self, call: ToolCall) -> Outcome | None:
        tags = self.tools.tags.get(call.name, frozenset())
        for decision in self.guardrails.before_tool(call.name, self.tools.names, tags):
            self.answering.trigger(decision, "before_tool_call")
            return Outcome(f"blocked: {decision.reason}", is_error=True, retryable=False)
        refusal = self.policy.refusal(call.name)
        return Outcome(refusal, is_error=True, retryable=False) if refusal else None
