"""Records what an agent does, from inside the agent: start, reasoning, tool calls, artifacts, the end.

Owns no SQL: a ``TraceSink`` stores. Secrets are removed before anything reaches it. Safe to use from several threads
and from asyncio tasks at once; needs no event loop.

    recorder = TraceRecorder(sink, redactor)
    with recorder.start(input="Refund order 7", persona_id="support") as run:
        call = run.start_tool_call("lookup", {"order": 7})
        run.complete_tool_call(call, {"paid": True})
        run.finish("Refunded.")
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.traces.outcomes import guard
from honeyguide.traces.recorded_run import RecordedRun
from honeyguide.traces.recorded_values import DEFAULT_LIMIT, json_value, recorded_value, truncate
from honeyguide.traces.records import (
    HarnessContext,
    PromptInForce,
    ReasoningStep,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)
from honeyguide.traces.redaction import Redactor
from honeyguide.traces.redaction_records import redact_trace

UNFINISHED = "[no result: the trace ended before the call did]"


class TraceSink(Protocol):
    """Where traces are stored. Methods may be called from any thread."""

    def insert(self, trace: Trace) -> int:
        """Store a new trace and return its id (above 0)."""
        ...

    def update(self, trace_id: int, trace: Trace, expected: TraceOutcome) -> bool:
        """Replace a stored trace if its outcome is still ``expected``; say whether that was so. One transaction."""
        ...

    def get(self, trace_id: int) -> Trace | None:
        """Return a stored trace."""
        ...


@dataclass(slots=True)
class _Open:
    """A trace that is being recorded."""

    trace: Trace
    started: float
    reasoning: list[ReasoningStep] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)
    artifacts: dict[str, None] = field(default_factory=dict)
    pending: dict[str, tuple[ToolCall, float]] = field(default_factory=dict)
    closing: bool = False


class TraceRecorder:
    """The agent's side of the trace store.

    One recorder serves any number of traces at once. A trace that is never finished stays ``pending`` in the store.
    """

    def __init__(
        self,
        sink: TraceSink,
        redactor: Redactor,
        *,
        clock: Clock | None = None,
        new_id: IdFactory = new_uuid,
        max_result_chars: int = DEFAULT_LIMIT,
    ) -> None:
        """``max_result_chars``: characters kept of each reasoning step and tool result."""
        self._sink = sink
        self._redactor = redactor
        self._clock = clock or SystemClock()
        self._new_id = new_id
        self._limit = max_result_chars
        self._open: dict[int, _Open] = {}
        self._lock = threading.RLock()

    def start(
        self,
        input: str,
        *,
        session_id: str | None = None,
        persona_id: str | None = None,
        workspace_id: str | None = None,
        model: str | None = None,
        task_shape: str | None = None,
        tags: Sequence[str] = (),
        conversation: str = "",
        turn: int = 0,
        project: str | None = None,
        prompts: Sequence[PromptInForce] = (),
    ) -> RecordedRun:
        """Begin a trace and return the handle to record into; also a context manager."""
        trace = Trace(
            payload=TracePayload(input=input, tags=tuple(tags)),
            session_id=session_id,
            persona_id=persona_id,
            workspace_id=workspace_id,
            model=model,
            task_shape=task_shape,
            created_at=iso(self._clock.now()),
            facts=TraceFacts(
                source="recorder",
                source_key=self._new_id(),
                conversation=conversation,
                turn=turn,
                project=project,
                prompts=tuple(prompts),
            ),
        )
        cleaned = redact_trace(trace, self._redactor)
        trace_id = self._sink.insert(cleaned)
        with self._lock:
            self._open[trace_id] = _Open(replace(cleaned, id=trace_id), self._clock.monotonic())
        return RecordedRun(self, trace_id)

    def record_reasoning(self, trace_id: int, content: str) -> None:
        """Add a piece of reasoning."""
        step = ReasoningStep(truncate(self._redactor.text(content), self._limit), iso(self._clock.now()))
        with self._lock:
            self._of(trace_id).reasoning.append(step)

    def start_tool_call(self, trace_id: int, tool: str, args: Any = None) -> str:
        """Note that a tool was called and return the id to complete the call with."""
        call = ToolCall(tool, args=self._redactor.value(json_value(args)), timestamp=iso(self._clock.now()))
        call_id = self._new_id()
        with self._lock:
            self._of(trace_id).pending[call_id] = (call, self._clock.monotonic())
        return call_id

    def complete_tool_call(self, trace_id: int, call_id: str, result: Any = None, *, ok: bool = True) -> None:
        """Add the result of a call, in its own JSON type. Completing a call twice, or an unknown one, does nothing."""
        kept = self._result(result)
        now = self._clock.monotonic()
        with self._lock:
            entry = self._of(trace_id)
            found = entry.pending.pop(call_id, None)
            if found is None:
                return
            call, began = found
            entry.tool_calls.append(replace(call, result=kept, ok=ok, duration_ms=_milliseconds(now - began)))

    def record_tool_call(
        self,
        trace_id: int,
        tool: str,
        args: Any = None,
        result: Any = None,
        *,
        ok: bool | None = True,
        duration_ms: int | None = None,
        timestamp: str | None = None,
    ) -> None:
        """Add a call that is already over; ``ok`` and ``duration_ms`` are ``None`` when unknown."""
        call = ToolCall(
            tool,
            args=self._redactor.value(json_value(args)),
            result=self._result(result),
            ok=ok,
            duration_ms=duration_ms,
            timestamp=timestamp or iso(self._clock.now()),
        )
        with self._lock:
            self._of(trace_id).tool_calls.append(call)

    def record_artifact(self, trace_id: int, artifact: str) -> None:
        """Add the name or address of something the agent made; each is kept once, in the order of first mention."""
        cleaned = self._redactor.text(artifact)
        with self._lock:
            self._of(trace_id).artifacts.setdefault(cleaned)

    def flush(self, trace_id: int) -> None:
        """Store what was recorded so far; the trace stays open and pending."""
        with self._lock:
            entry = self._of(trace_id)
            trace = self._collected(entry)
        self._store(trace_id, trace, trace.outcome)

    def finalize(
        self,
        trace_id: int,
        outcome: TraceOutcome,
        output: str = "",
        *,
        tokens: TokenCounts | None = None,
        cost_usd: float | None = None,
        model: str | None = None,
        outcome_detail: str | None = None,
        outcome_evidence: str = "",
        harness: HarnessContext | None = None,
        correction_feedback: str | None = None,
        tool_calls: Sequence[ToolCall] | None = None,
        tags: Sequence[str] | None = None,
    ) -> Trace:
        """End a trace and return it as stored.

        Calls that never ended are kept as not ok. ``tool_calls`` replaces what was recorded (an empty list too);
        left out, what was recorded stays.

        Raises:
            Conflict: the trace has ended already, or the outcome is not one to end with.
            NotFound: there is no such open trace.
        """
        with self._lock:
            entry = self._of(trace_id)
            guard(entry.trace.outcome, outcome, trace_id)
            trace = self._collected(entry, close=True)
            payload = replace(
                trace.payload,
                output=output,
                tokens=tokens if tokens is not None else trace.payload.tokens,
                harness=harness if harness is not None else trace.payload.harness,
                correction_feedback=(
                    correction_feedback if correction_feedback is not None else trace.payload.correction_feedback
                ),
                tool_calls=trace.payload.tool_calls if tool_calls is None else tuple(tool_calls),
                tags=trace.payload.tags if tags is None else tuple(tags),
            )
            trace = replace(
                trace,
                payload=payload,
                outcome=outcome,
                model=model or trace.model,
                cost_usd=cost_usd if cost_usd is not None else trace.cost_usd,
                duration_ms=_milliseconds(self._clock.monotonic() - entry.started),
                finalized_at=iso(self._clock.now()),
                facts=replace(
                    trace.facts,
                    outcome_detail=outcome_detail if outcome_detail is not None else trace.facts.outcome_detail,
                    outcome_evidence=outcome_evidence or trace.facts.outcome_evidence,
                ),
            )
            entry.closing = True
        try:
            cleaned = redact_trace(trace, self._redactor)
            self._store(trace_id, cleaned, TraceOutcome.PENDING)
        except BaseException:
            with self._lock:
                entry.closing = False
            raise
        with self._lock:
            self._open.pop(trace_id, None)
        return cleaned

    def mark_corrected(self, trace_id: int, feedback: str) -> Trace:
        """Note that a person corrected the answer, whether the trace is still open or ended long ago.

        Raises:
            Conflict: it is marked already.
            NotFound: there is no such trace.
        """
        with self._lock:
            is_open = trace_id in self._open and not self._open[trace_id].closing
        if is_open:
            return self.finalize(
                trace_id,
                TraceOutcome.CORRECTED,
                correction_feedback=feedback,
                outcome_detail="corrected",
                outcome_evidence="person",
            )
        stored = self._sink.get(trace_id)
        if stored is None:
            raise NotFound(f"There is no trace {trace_id}.")
        guard(stored.outcome, TraceOutcome.CORRECTED, trace_id)
        corrected = replace(
            stored,
            outcome=TraceOutcome.CORRECTED,
            payload=replace(stored.payload, correction_feedback=feedback),
            finalized_at=stored.finalized_at or iso(self._clock.now()),
            facts=replace(stored.facts, outcome_detail="corrected", outcome_evidence="person"),
        )
        cleaned = redact_trace(corrected, self._redactor)
        self._store(trace_id, cleaned, stored.outcome)
        return cleaned

    def _of(self, trace_id: int) -> _Open:
        entry = self._open.get(trace_id)
        if entry is None or entry.closing:
            stored = self._sink.get(trace_id) if entry is None else entry.trace
            if stored is None:
                raise NotFound(f"There is no trace {trace_id}.")
            raise Conflict(f"Trace {trace_id} has ended; nothing more can be recorded in it.")
        return entry

    def _collected(self, entry: _Open, *, close: bool = False) -> Trace:
        unfinished = [
            replace(call, result=UNFINISHED, ok=False, duration_ms=_milliseconds(self._clock.monotonic() - began))
            for call, began in entry.pending.values()
        ]
        return replace(
            entry.trace,
            payload=replace(
                entry.trace.payload,
                reasoning=tuple(entry.reasoning),
                tool_calls=(*entry.tool_calls, *(unfinished if close else ())),
                artifacts=tuple(entry.artifacts),
            ),
        )

    def _store(self, trace_id: int, trace: Trace, expected: TraceOutcome) -> None:
        if not self._sink.update(trace_id, trace, expected):
            stored = self._sink.get(trace_id)
            if stored is None:
                raise NotFound(f"There is no trace {trace_id}; it was deleted meanwhile.")
            raise Conflict(
                f"Trace {trace_id} was changed by somebody else: it is {stored.outcome} now.",
                hint="Load it again before changing it.",
            )

    def _result(self, result: Any) -> Any:
        """Redact before shortening, so that no cut leaves half a secret."""
        return recorded_value(self._redactor.value(json_value(result)), self._limit)


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
