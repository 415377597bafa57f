"""One recorded execution of an agent, as plain data.

The fields that the first seed names keep its meaning and its JSON spelling (``to_json``); what a source
knows beyond them (conversation, prompt in force, detail of the outcome) stands in ``TraceFacts``.
Unknown is ``None``, never 0 and never success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

REFERENCE = "reference"
"""``outcome_detail`` of an answer that is desired, not observed."""
PERSON = "person"
"""``outcome_evidence`` of what a person said."""


class TraceOutcome(StrEnum):
    """How an execution ended, in the five values of the store."""

    PENDING = "pending"
    SUCCESS = "success"
    CORRECTED = "corrected"
    ABANDONED = "abandoned"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """One piece of the agent's reasoning; ``timestamp`` is ISO 8601 UTC."""

    content: str
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        tool: the tool's name.
        args: its arguments, scrubbed of secrets.
        result: what it returned, in its own JSON type.
        ok: whether it succeeded; ``None`` when the source does not say.
        duration_ms: how long it took; ``None`` when unknown.
        timestamp: when it began, ISO 8601 UTC.
    """

    tool: str
    args: Any = None
    result: Any = None
    ok: bool | None = None
    duration_ms: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens used; each ``None`` when the source does not say."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@dataclass(frozen=True, slots=True)
class GateResultNote:
    """The result of one gate of a harness phase."""

    name: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HarnessContext:
    """The phase of a harness that this execution belonged to."""

    harness_id: str
    phase_id: str
    phase_name: str = ""
    gate_results: tuple[GateResultNote, ...] = ()


@dataclass(frozen=True, slots=True)
class TracePayload:
    """What went in, what came out, and what happened in between."""

    input: str = ""
    output: str = ""
    reasoning: tuple[ReasoningStep, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    artifacts: tuple[str, ...] = ()
    tokens: TokenCounts = field(default_factory=TokenCounts)
    harness: HarnessContext | None = None
    correction_feedback: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptInForce:
    """Which prompt was active; ``exact`` when the source says so, otherwise inferred."""

    kind: str
    name: str
    sha256: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """What is known beyond the seed's columns.

    Attributes:
        source: which reader or recorder it came from, e.g. ``claude-code``, ``recorder``.
        source_key: stable key within the source; (source, source_key) is unique, so that importing again adds nothing.
        conversation: the conversation it belongs to; datasets are split by it.
        turn: position in the conversation, from 0.
        project: the project's folder as the source wrote it.
        prompts: the prompts in force.
        outcome_detail: finer than the five values, e.g. ``unknown``, ``error: timeout``, ``latency``.
        outcome_evidence: what the outcome rests on, e.g. ``rating``, ``verifier``; empty when unknown.
        never_send: a person marked it: no model may see it.
    """

    source: str = "recorder"
    source_key: str = ""
    conversation: str = ""
    turn: int = 0
    project: str | None = None
    prompts: tuple[PromptInForce, ...] = ()
    outcome_detail: str | None = None
    outcome_evidence: str = ""
    never_send: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded execution.

    Attributes:
        id: row id in the store; 0 before it is stored.
        duration_ms: ``None`` when unknown.
        cost_usd: ``None`` when unknown.
        created_at, finalized_at: ISO 8601 UTC with ``T`` and ``Z``.
    """

    payload: TracePayload
    outcome: TraceOutcome = TraceOutcome.PENDING
    id: int = 0
    session_id: str | None = None
    persona_id: str | None = None
    workspace_id: str | None = None
    model: str | None = None
    task_shape: str | None = None
    cost_usd: float | None = None
    duration_ms: int | None = None
    created_at: str = ""
    finalized_at: str | None = None
    facts: TraceFacts = field(default_factory=TraceFacts)

    @property
    def conversation(self) -> str:
        """The conversation key: the source's own, else the session, else the trace by itself."""
        return self.facts.conversation or self.session_id or f"{self.facts.source}:{self.facts.source_key or self.id}"


def payload_to_json(payload: TracePayload) -> dict[str, Any]:
    """Return the payload in the seed's spelling (camelCase; absent optional parts left out)."""
    data: dict[str, Any] = {
        "input": payload.input,
        "output": payload.output,
        "reasoning": [{"content": r.content, "timestamp": r.timestamp} for r in payload.reasoning],
        "toolCalls": [
            {
                "tool": c.tool,
                "args": c.args,
                "result": c.result,
                "ok": c.ok,
                "durationMs": c.duration_ms,
                "timestamp": c.timestamp,
            }
            for c in payload.tool_calls
        ],
        "artifacts": list(payload.artifacts),
        "tokens": _tokens_to_json(payload.tokens),
        "tags": list(payload.tags),
    }
    if payload.harness is not None:
        data["harness"] = {
            "harnessId": payload.harness.harness_id,
            "phaseId": payload.harness.phase_id,
            "phaseName": payload.harness.phase_name,
            "gateResults": [
                {"name": g.name, "passed": g.passed, "reason": g.reason} for g in payload.harness.gate_results
            ],
        }
    if payload.correction_feedback is not None:
        data["correctionFeedback"] = payload.correction_feedback
    return data


def payload_from_json(data: object) -> TracePayload:
    """Read a payload tolerantly: whatever is missing or of a wrong type becomes its empty value."""
    if not isinstance(data, Mapping):
        return TracePayload()
    feedback = data.get("correctionFeedback")
    return TracePayload(
        input=_text(data.get("input")),
        output=_text(data.get("output")),
        reasoning=tuple(
            ReasoningStep(_text(r.get("content")), _optional_text(r.get("timestamp")))
            for r in _objects(data.get("reasoning"))
        ),
        tool_calls=tuple(
            ToolCall(
                tool=_text(c.get("tool")),
                args=c.get("args"),
                result=c.get("result"),
                ok=c["ok"] if isinstance(c.get("ok"), bool) else None,
                duration_ms=_whole(c.get("durationMs")),
                timestamp=_optional_text(c.get("timestamp")),
            )
            for c in _objects(data.get("toolCalls"))
        ),
        artifacts=_texts(data.get("artifacts")),
        tokens=_tokens_from_json(data.get("tokens")),
        harness=_harness_from_json(data.get("harness")),
        correction_feedback=feedback if isinstance(feedback, str) else None,
        tags=_texts(data.get("tags")),
    )


def _tokens_to_json(tokens: TokenCounts) -> dict[str, int | None]:
    data: dict[str, int | None] = {"input": tokens.input, "output": tokens.output}
    if tokens.cache_read is not None:
        data["cacheRead"] = tokens.cache_read
    if tokens.cache_write is not None:
        data["cacheWrite"] = tokens.cache_write
    return data


def _tokens_from_json(data: object) -> TokenCounts:
    if not isinstance(data, Mapping):
        return TokenCounts()
    return TokenCounts(
        _whole(data.get("input")),
        _whole(data.get("output")),
        _whole(data.get("cacheRead")),
        _whole(data.get("cacheWrite")),
    )


def _harness_from_json(data: object) -> HarnessContext | None:
    if not isinstance(data, Mapping) or not isinstance(data.get("harnessId"), str):
        return None
    return HarnessContext(
        harness_id=data["harnessId"],
        phase_id=_text(data.get("phaseId")),
        phase_name=_text(data.get("phaseName")),
        gate_results=tuple(
            GateResultNote(_text(g.get("name")), g.get("passed") is True, _text(g.get("reason")))
            for g in _objects(data.get("gateResults"))
        ),
    )


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _optional_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value and abs(value) < 2**63 else None
