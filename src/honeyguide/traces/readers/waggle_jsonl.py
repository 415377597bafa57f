"""Reads traces in the shape of the ``execution_traces`` table, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, Role, SignalKind, Turn
from honeyguide.traces.jsonl import SOURCE_NAME, row_to_trace
from honeyguide.traces.lines import iter_json, parse_json
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import Trace, TraceOutcome


class TraceJsonl:
    """Rows of the trace table, as an export writes them."""

    name = SOURCE_NAME

    def sniff(self, head: bytes, name_hint: str) -> float:
        """Certain when the first object of the file has the table's payload column."""
        for raw in head.split(b"\n")[:5]:
            try:
                row = parse_json(raw.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                if "trace_json" in row:
                    return 0.97
                payload = row.get("payload")
                return 0.9 if isinstance(payload, dict) and "toolCalls" in payload and "outcome" in row else 0.0
        return 0.8 if head.lstrip(b"\xef\xbb\xbf ").startswith(b"{") and b'"trace_json"' in head else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        """Yield runs of rows that belong to one conversation, in the order of the file."""
        group: list[tuple[int, Trace]] = []
        for record in iter_json(stream, context):
            if not _is_row(record.data):
                context.health.note(health.UNKNOWN_TYPE, record.number)
                continue
            trace = row_to_trace(record.data)
            if trace.facts.outcome_detail and trace.facts.outcome_detail.startswith("unknown outcome"):
                context.health.note(health.MALFORMED, record.number, example="outcome")
            if not trace.payload.input and not trace.payload.output:
                context.health.note(health.NO_TEXT, record.number)
            if group and group[0][1].conversation != trace.conversation:
                yield _conversation(group)
                group = []
            group.append((record.number, trace))
        if group:
            yield _conversation(group)


def _is_row(data: dict[str, Any]) -> bool:
    return "trace_json" in data or isinstance(data.get("payload"), dict)


def _conversation(group: list[tuple[int, Trace]]) -> Conversation:
    turns: list[Turn] = []
    signals: list[CorrectionSignal] = []
    first = group[0][1]
    for line, trace in group:
        key = trace.facts.source_key
        if trace.payload.input:
            turns.append(
                Turn(
                    Role.USER,
                    trace.payload.input,
                    f"{key}:input",
                    machine=trace.payload.harness is not None,
                    timestamp=trace.created_at or None,
                    trace_key=key,
                    line=line,
                )
            )
        if trace.payload.output:
            turns.append(
                Turn(
                    Role.ASSISTANT,
                    trace.payload.output,
                    f"{key}:output",
                    timestamp=trace.finalized_at,
                    trace_key=key,
                    line=line,
                )
            )
        feedback = trace.payload.correction_feedback
        if trace.outcome is TraceOutcome.CORRECTED and feedback:
            signals.append(CorrectionSignal(SignalKind.CORRECTION, key, text=feedback, where=f"line {line}"))
    return Conversation(
        source=SOURCE_NAME,
        key=first.conversation,
        traces=tuple(trace for _, trace in group),
        turns=tuple(turns),
        signals=tuple(signals),
        project=first.facts.project,
        started_at=first.created_at or None,
    )


SOURCE = TraceJsonl()
