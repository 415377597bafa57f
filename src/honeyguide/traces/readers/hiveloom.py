"""hiveloom run journals as traces. The harness room uses the same parser, ``read_journal``, for everything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from honeyguide.traces.conversations import Conversation, PromptText, Role, Turn, sum_tokens
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._journal import (
    CONSTRUCTION,
    ChainCheck,
    Journal,
    JournalEvent,
    JournalRun,
    check_chain,
    fuller,
    merged_runs,
    read_journal,
)
from honeyguide.traces.readers._machine_text import human_part
from honeyguide.traces.readers._messages import messages_of
from honeyguide.traces.readers._transcript import SYSTEM_KIND, prompts_in_force
from honeyguide.traces.readers._values import (
    compact,
    milliseconds_between,
    moment,
    number,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import (
    GateResultNote,
    HarnessContext,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)

__all__ = [
    "SOURCE",
    "ChainCheck",
    "HiveloomSource",
    "Journal",
    "JournalEvent",
    "JournalRun",
    "check_chain",
    "fuller",
    "merged_runs",
    "read_journal",
]

_STOPPED_BY_RULE = {"guardrail_halt", "max_turns", "truncated", "step_failed", "verify_failed"}


class HiveloomSource:
    """A run is a conversation of one trace. What a verifier says to the model is a machine's word."""

    name = "hiveloom"

    def sniff(self, head: bytes, name_hint: str) -> float:
        for value in look(head).objects()[:50]:
            if "run_id" in value and "payload" in value and {"harness_name", "harness_version_hash"} & value.keys():
                return 0.95
            if value.get("type") == CONSTRUCTION:
                return 0.8
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        journal = read_journal(stream, context)
        for run in journal.runs.values():
            yield conversation_of(run, altered=not journal.chain.ok)


def conversation_of(run: JournalRun, *, altered: bool = False) -> Conversation:
    """Return a run as a conversation; a success that an ``altered`` journal claims is no evidence."""
    # Callers may name their runs themselves, so the harness belongs to the key.
    key = f"{run.harness_id or run.harness_name}/{run.run_id}"
    turns = tuple(_turns(run, key))
    prompts = tuple(_prompts(run))
    started = run.started
    finished = run.finished
    outcome, detail, evidence = _outcome(run)
    if altered and outcome in (TraceOutcome.SUCCESS, TraceOutcome.VERIFIED):
        outcome, detail, evidence = TraceOutcome.PENDING, f"unknown: altered journal says {detail}", ""
    ended = {} if finished is None else finished.payload
    responses = list(run.of("model_response"))
    seconds = number(ended.get("duration_seconds"))
    at = moment(run.events[0].timestamp)
    end = moment(finished.timestamp) if finished is not None else None
    trace = Trace(
        payload=TracePayload(
            input="" if started is None else compact(started.payload.get("input")),
            output=compact(ended.get("output"))
            or next((t.text for t in reversed(turns) if t.role is Role.ASSISTANT), ""),
            tool_calls=tuple(_tool_calls(run)),
            tokens=_tokens(responses),
            harness=HarnessContext(
                run.harness_id or run.harness_name, run.version, run.harness_name, tuple(_gates(run))
            ),
            tags=(f"harness-version:{run.version}",) if run.version else (),
        ),
        outcome=outcome,
        session_id=run.run_id,
        model=_model(run, responses),
        cost_usd=number(ended.get("cost_usd")),
        duration_ms=round(seconds * 1000) if seconds is not None else milliseconds_between(at, end),
        created_at=at or "",
        finalized_at=end,
        facts=TraceFacts(
            source=HiveloomSource.name,
            source_key=key,
            conversation=key,
            prompts=prompts_in_force(prompts),
            outcome_detail=detail,
            outcome_evidence=evidence,
        ),
    )
    return Conversation(
        source=HiveloomSource.name,
        key=key,
        traces=(trace,),
        turns=turns,
        prompts=prompts,
        started_at=at,
        title=run.harness_name or None,
    )


def _turns(run: JournalRun, key: str) -> Iterator[Turn]:
    asked = False
    for place, event in enumerate(run.events):
        payload = event.payload
        name = f"{key}/{event.seq if event.seq is not None else place}"
        at = moment(event.timestamp)
        if event.type == "run_started" and payload.get("input") is not None and not asked:
            asked = True
            text = compact(payload["input"])
            yield Turn(Role.USER, text, f"{key}/input", not human_part(text), at, key, event.line)
        elif event.type == "model_response" and text_of(payload.get("phase")) != "compaction":
            yield Turn(Role.ASSISTANT, text_of(payload.get("text")), name, False, at, key, event.line)
        elif event.type == "user_steer":
            yield Turn(Role.USER, text_of(payload.get("content")), name, False, at, key, event.line)
        elif event.type == "context_append":
            for message in messages_of(payload.get("message")):
                if message.role == "user" and message.text and not human_part(message.text):
                    yield Turn(Role.USER, message.text, name, True, at, key, event.line)


def _prompts(run: JournalRun) -> Iterator[PromptText]:
    started = run.started
    harness = started.payload.get("harness") if started is not None else None
    spec = text_of(harness.get("spec")) if isinstance(harness, dict) else ""
    if spec:
        yield PromptText("harness", run.harness_name or run.harness_id, spec)
    for text in dict.fromkeys(text_of(event.payload.get("system")) for event in run.of("context_system")):
        if text:
            yield PromptText(SYSTEM_KIND, run.harness_name or "system prompt", text)


def _tool_calls(run: JournalRun) -> Iterator[ToolCall]:
    results = {text_of(e.payload.get("id")): e for e in run.of("tool_result")}
    for event in run.of("tool_call"):
        result = results.get(text_of(event.payload.get("id")))
        failed = None if result is None else result.payload.get("is_error")
        yield ToolCall(
            tool=text_of(event.payload.get("name")),
            args=event.payload.get("input"),
            result=None if result is None else result.payload.get("content"),
            ok=(not failed) if isinstance(failed, bool) else None,
            duration_ms=None if result is None else milliseconds_between(event.timestamp, result.timestamp),
            timestamp=moment(event.timestamp),
        )


def _tokens(responses: list[JournalEvent]) -> TokenCounts:
    usages = [u for event in responses if isinstance(u := event.payload.get("usage"), dict)]
    return sum_tokens(
        TokenCounts(
            whole(usage.get("input_tokens")),
            whole(usage.get("output_tokens")),
            whole(usage.get("cache_read_tokens")),
            whole(usage.get("cache_write_tokens")),
        )
        for usage in usages
    )


def _gates(run: JournalRun) -> Iterator[GateResultNote]:
    """The last word of each verifier: earlier ones were answered by another attempt."""
    last: dict[str, GateResultNote] = {}
    for event in run.of("verification_result"):
        name = text_of(event.payload.get("verifier"))
        last[name] = GateResultNote(name, event.payload.get("passed") is True, text_of(event.payload.get("feedback")))
    yield from last.values()


def _outcome(run: JournalRun) -> tuple[TraceOutcome, str, str]:
    status = run.status
    reason = text_of(run.finished.payload.get("reason")) if run.finished is not None else ""
    failed = [e for e in run.of("verification_result") if e.payload.get("passed") is False]
    passed = any(e.payload.get("passed") is True for e in run.of("verification_result"))
    if status == "success":
        detail = f"success after {len(failed)} failed verifications" if failed else "success"
        return (TraceOutcome.VERIFIED, detail, "verifier") if passed else (TraceOutcome.SUCCESS, detail, "status")
    if status == "incomplete":
        return TraceOutcome.PENDING, "incomplete", ""
    if status in ("error", "stopped"):
        detail = f"{status}: {reason}" if reason else status
        return TraceOutcome.ABANDONED, detail[:200], "status"
    if status == "verify_failed":
        names = ", ".join(dict.fromkeys(text_of(e.payload.get("verifier")) for e in failed))
        return TraceOutcome.PENDING, f"failed-check: {names or status}"[:200], "verifier"
    if status in _STOPPED_BY_RULE:
        return TraceOutcome.PENDING, f"failed-check: {status}", "status"
    return TraceOutcome.PENDING, f"unknown: status {status}"[:200], ""


def _model(run: JournalRun, responses: list[JournalEvent]) -> str | None:
    for event in reversed(responses):
        if found := some_text(event.payload.get("effective_model")):
            return found
    if run.finished is not None:
        used = objects_of(run.finished.payload.get("models_used"))
        if used and some_text(used[-1].get("model")):
            return some_text(used[-1].get("model"))
    return None if run.started is None else some_text(run.started.payload.get("model"))


SOURCE = HiveloomSource()
