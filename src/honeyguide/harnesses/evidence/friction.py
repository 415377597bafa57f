"""Friction: every moment of a run at which something got in the way, whether or not it recovered."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.traces.readers.hiveloom import JournalEvent

SUMMARY_CHARACTERS: Final = 500
_PLACEHOLDERS: Final = (
    (re.compile(r"\[[^\[\]]*\]"), "<list>"),
    (re.compile(r"'[^']*'"), "<str>"),
    (re.compile(r'"[^"]*"'), "<str>"),
    (re.compile(r"https?://\S+"), "<url>"),
    (re.compile(r"\b\d+\b"), "<num>"),
)


def template_of(feedback: str) -> str:
    """Return feedback with its particulars replaced, so that the same complaint about two inputs is one."""
    text = feedback
    for pattern, stand_in in _PLACEHOLDERS:
        text = pattern.sub(stand_in, text)
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Friction:
    """One such moment.

    Attributes:
        id: stable over any number of ingestions: run, place and what it was.
        attempt: model turn, or number of the verification.
        fingerprint: 32 hex digits over category, component, phase and summary.
        summary: a template, never the text of a tool or model.
    """

    id: str
    run_id: str
    seq: int
    category: str
    phase: str
    attempt: int
    component: str
    fingerprint: str
    recovered: bool
    timestamp: str
    summary: str

    def to_row(self) -> list[Any]:
        """Return the values for the index."""
        return [
            self.seq, self.category, self.phase, self.attempt, self.component, self.fingerprint, self.recovered,
            self.timestamp, self.summary,
        ]  # fmt: skip

    @classmethod
    def from_row(cls, run_id: str, row: Sequence[Any]) -> Friction:
        """Read what ``to_row`` wrote."""
        return cls(f"{run_id}:{row[0]}:{row[5][:8]}", run_id, *row)

    def to_json(self, status: str, model: str) -> dict[str, Any]:
        """Return the row as ``harness friction --json`` prints it."""
        return {
            "friction_id": self.id,
            "run_id": self.run_id,
            "seq": self.seq,
            "category": self.category,
            "phase": self.phase or None,
            "attempt": self.attempt,
            "component": self.component or None,
            "fingerprint": self.fingerprint,
            "recovered": self.recovered,
            "timestamp": self.timestamp or None,
            "summary": self.summary,
            "run_status": status,
            "model": model,
        }


def friction_of(events: Iterable[JournalEvent], run: Mapping[str, Any]) -> tuple[Friction, ...]:
    """Return the friction of a run; ``run`` gives status, reason and models."""
    finder = _Finder(str(run["run_id"]), run)
    ordered = sorted(events, key=lambda event: event.seq or 0)
    for event in ordered:
        finder.take(event)
    finder.end(ordered[-1] if ordered else None)
    return tuple(finder.found)


class _Finder:
    def __init__(self, run_id: str, run: Mapping[str, Any]) -> None:
        self.found: list[Friction] = []
        self._run_id = run_id
        self._run = run
        self._succeeded = run["status"] == "success"
        self._phase = ""
        self._turn = 0
        self._verifications = 0
        self._previous = ""
        self._open_call: JournalEvent | None = None

    def take(self, event: JournalEvent) -> None:
        """Look at the next event."""
        payload = event.payload
        kind = event.type
        if kind == "model_call":
            self._phase = str(payload.get("phase") or "act")
            self._turn = _whole(payload.get("turn") or self._turn) + 1
            self._open_call = event
        elif kind == "model_response":
            self._phase = str(payload.get("phase") or self._phase)
            self._turn = _whole(payload.get("turn") or self._turn)
            self._open_call = None
        elif kind == "verification_result":
            self._verification(event)
        elif kind == "tool_retry":
            self._add(event, "retry", _name(payload, "tool"), "tool call retried after a retryable error")
        elif kind == "tool_result" and payload.get("is_error"):
            self._add(event, "tool_error", _name(payload, "tool"), "tool returned an error")
        elif kind == "tool_truncated":
            text = "tool call was not executed because its arguments were truncated"
            self._add(event, "tool_error", _name(payload, "tool"), text)
        elif kind == "turn_truncated":
            text = "turn hit the output ceiling with no answer and no tool call"
            self._add(event, "output_truncated", "max_tokens", text)
        elif kind == "context_overflow_recovery":
            text = str(payload.get("error") or "provider context overflow recovered")
            self._add(event, "retry", "context_window", text, phase=str(payload.get("phase") or self._phase))
        elif kind == "context_compaction":
            method = str(payload.get("method") or "context")
            self._add(event, "context_compaction", method, "context was compacted", phase="compaction")
        elif kind == "user_steer":
            self._add(event, "user_steer", "operator", "operator steering was applied")
        elif kind == "guardrail_triggered" and payload.get("kind") in ("halt", "block"):
            halt = payload["kind"] == "halt"
            text = str(payload.get("reason") or f"guardrail {payload['kind']}")
            category = "guardrail_halt" if halt else "guardrail_block"
            component = str(payload.get("guardrail") or "guardrail")
            self._add(event, category, component, text, recovered=False if halt else None)
        elif kind == "model_swap_failed":
            component = str(payload.get("requested_model") or "model_router")
            self._add(event, "provider_error", component, str(payload.get("error") or "model swap failed"))
        self._previous = kind

    def end(self, last: JournalEvent | None) -> None:
        """Look at how the run ended."""
        status, reason = self._run["status"], str(self._run["reason"] or "")
        if status == "truncated":
            text = reason or "run stopped: repeated truncated turns"
            self._add(last, "output_truncated", "max_tokens", text, recovered=False)
        elif status == "max_turns":
            text = reason or "loop reached its model-call limit"
            self._add(last, "loop_limit", "max_turns", text, recovered=False)
        elif status == "error" and self._open_call is not None:
            component = str(self._run["effective_model"] or self._run["requested_model"] or "model")
            phase = str(self._open_call.payload.get("phase") or self._phase)
            text = reason or "provider request failed"
            self._add(last, "provider_error", component, text, phase=phase, recovered=False)

    def _verification(self, event: JournalEvent) -> None:
        if self._previous != "verification_result":
            self._verifications += 1
        if event.payload.get("passed"):
            return
        verifier = str(event.payload.get("verifier") or "verification")
        about_form = any(word in verifier.lower() for word in ("schema", "output", "json"))
        self._add(
            event,
            "output_validation" if about_form else "verifier_failure",
            verifier,
            str(event.payload.get("feedback") or f"{verifier} failed"),
            phase="verification",
            attempt=self._verifications,
        )

    def _add(
        self,
        event: JournalEvent | None,
        category: str,
        component: str,
        text: str,
        *,
        phase: str | None = None,
        attempt: int | None = None,
        recovered: bool | None = None,
    ) -> None:
        summary = template_of(text or category)[:SUMMARY_CHARACTERS]
        at = self._phase if phase is None else phase
        self.found.append(
            Friction.from_row(
                self._run_id,
                [
                    0 if event is None else event.seq or 0,
                    category,
                    at,
                    self._turn if attempt is None else attempt,
                    component,
                    friction_fingerprint(category, component, at, summary),
                    self._succeeded if recovered is None else recovered,
                    "" if event is None else event.timestamp,
                    summary,
                ],
            )
        )


def friction_fingerprint(category: str, component: str, phase: str, summary: str) -> str:
    """Return the 32 hex digits that stand for one kind of friction."""
    parts = {"category": category, "component": component, "phase": phase, "summary": summary}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:32]


def _name(payload: Mapping[str, Any], default: str) -> str:
    return str(payload.get("name") or default)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
