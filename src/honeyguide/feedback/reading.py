"""A feedback log read to its end: ours, or one that mdflow wrote. Damaged lines are reported, never passed over.

A line is JSON. ``{"kind": "evidence", "event": {…}}`` adds a problem, ``{"kind": "status", "id", "status",
"timestamp"}`` moves it, ``link``, ``merge`` and ``classify`` are ours. A line with ``agentPath``,
``message`` and ``timestamp`` and nothing of these is a complaint of an early mdflow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from honeyguide.feedback.items import Confidence, FailureClass, FeedbackItem, FeedbackState, FeedbackType
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that is no record; ``line`` counts from 1."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class LogContents:
    """Everything in a log: problems by id, in the order in which they were reported."""

    items: tuple[FeedbackItem, ...]
    damaged: tuple[DamagedLine, ...]

    def get(self, feedback_id: str) -> FeedbackItem | None:
        """Return one problem, or ``None``."""
        return next((item for item in self.items if item.id == feedback_id), None)


def read_log(data: bytes) -> LogContents:
    """Read a whole log."""
    items: dict[str, FeedbackItem] = {}
    damaged: list[DamagedLine] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            _apply(json.loads(line.decode("utf-8")), items)
        except (ValueError, KeyError, TypeError, RecursionError, Conflict) as error:
            damaged.append(DamagedLine(number, _problem(error)))
    ordered = sorted(items.values(), key=lambda item: item.created_at)
    return LogContents(tuple(ordered), tuple(damaged))


def event_of(item: FeedbackItem) -> dict[str, Any]:
    """Return the ``event`` of an evidence line."""
    event: dict[str, Any] = {
        "id": item.id,
        "flowId": item.name,
        "targetKind": item.kind,
        "flowPath": item.path,
        "flowHash": item.text_sha256,
        "type": item.type.value,
        "confidence": item.confidence.value,
        "message": item.message,
        "timestamp": item.created_at,
        "status": item.state.value,
        "expected": item.expected,
        "actual": item.actual,
        "traceId": item.trace_id,
        "failureClass": item.failure_class.value if item.failure_class else None,
        "runId": item.run_id,
        "inputHash": item.input_hash,
        "redactedOutputRef": item.output_ref,
    }
    return {key: value for key, value in event.items() if value is not None}


def _apply(record: Any, items: dict[str, FeedbackItem]) -> None:
    if not isinstance(record, dict):
        raise TypeError("a line holds something else than an object")
    kind = record.get("kind")
    if kind == "evidence":
        item = _item(record["event"])
        items[item.id] = item
    elif kind == "status":
        known = items[_text(record, "id")]
        state = FeedbackState(_text(record, "status"))
        run_id = record.get("runId")
        items[known.id] = replace(
            known,
            state=state,
            changed_at=_text(record, "timestamp"),
            run_id=run_id if isinstance(run_id, str) else known.run_id,
        )
    elif kind == "link":
        known = items[_text(record, "id")]
        items[known.id] = replace(known, case=_text(record, "case"), changed_at=_text(record, "timestamp"))
    elif kind == "classify":
        known = items[_text(record, "id")]
        items[known.id] = known.classified(FailureClass(_text(record, "failureClass")), _text(record, "timestamp"))
    elif kind == "merge":
        known = items[_text(record, "id")]
        items[known.id] = replace(known, merged_into=_text(record, "into"), changed_at=_text(record, "timestamp"))
    elif "agentPath" in record:
        item = _legacy(record)
        items.setdefault(item.id, item)
    else:
        raise ValueError("the line is no record of feedback")


def _item(event: Any) -> FeedbackItem:
    if not isinstance(event, dict):
        raise TypeError("the event is no object")
    trace_id = event.get("traceId")
    timestamp = _text(event, "timestamp")
    return FeedbackItem(
        id=_text(event, "id"),
        kind=str(event.get("targetKind", "flow")),
        name=str(event.get("flowId", "")),
        message=_text(event, "message"),
        created_at=timestamp,
        changed_at=timestamp,
        path=str(event.get("flowPath") or event.get("agentPath") or ""),
        text_sha256=_optional(event, "flowHash"),
        type=FeedbackType(event.get("type", FeedbackType.EXPLICIT)),
        confidence=Confidence(event.get("confidence", Confidence.HIGH)),
        state=FeedbackState(event.get("status", FeedbackState.OPEN)),
        expected=_optional(event, "expected"),
        actual=_optional(event, "actual"),
        trace_id=trace_id if isinstance(trace_id, int) else None,
        failure_class=FailureClass(event["failureClass"]) if event.get("failureClass") else None,
        run_id=_optional(event, "runId"),
        input_hash=_optional(event, "inputHash"),
        output_ref=_optional(event, "redactedOutputRef"),
    )


def _legacy(record: Mapping[str, Any]) -> FeedbackItem:
    compact = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    timestamp = _text(record, "timestamp")
    return FeedbackItem(
        id=f"fb_legacy_{sha256_hex(compact)[:16]}",
        kind="flow",
        name=str(record.get("flowId", "")),
        message=_text(record, "message"),
        created_at=timestamp,
        changed_at=timestamp,
        path=_text(record, "agentPath"),
    )


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return value


def _optional(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) else None


def _problem(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON (column {error.colno})"
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing or unknown"
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__


def lines_without(data: bytes, feedback_id: str) -> Iterable[bytes]:
    """Yield the lines of a log without those that are about one problem or were merged into it."""
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            record = json.loads(line.decode("utf-8"))
        except ValueError:
            if feedback_id.encode() not in line:
                yield line
            continue
        event = record.get("event") if isinstance(record, dict) else None
        ids = {record.get("id"), record.get("into")} if isinstance(record, dict) else set()
        ids |= {event.get("id")} if isinstance(event, dict) else set()
        if feedback_id not in ids and not _is_legacy(record, feedback_id):
            yield line


def _is_legacy(record: Any, feedback_id: str) -> bool:
    if not feedback_id.startswith("fb_legacy_") or not isinstance(record, dict) or "agentPath" not in record:
        return False
    try:
        return "kind" not in record and _legacy(record).id == feedback_id
    except (KeyError, TypeError):
        return False
