"""A run in review: its unseen cases, candidates and calls, and what accepting it would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from honeyguide.storage.records import EvidenceRow as StoredEvidence

SAME_WITHIN = 0.005
"""Scores that differ by less than half a point are the same."""


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One unseen case: both answers, both scores, and the judge's words."""

    example_id: str
    input: str
    expected: str
    role: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    change: float | None
    verdict: str
    words_before: str
    words_after: str
    trace_id: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate that the search made."""

    stage: str
    id: str
    parent: str | None
    strategy: str | None
    generation: int
    text: str
    scores: Mapping[str, Any]
    complexity: float | None
    on_front: bool
    is_finalist: bool
    gates: tuple[Mapping[str, Any], ...] = ()

    @property
    def chars(self) -> int:
        """Characters of the text."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class CallRow:
    """One model call of a run's journal; texts are redacted."""

    n: int
    role: str
    model: str
    status: str
    at: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    cost_is_reported: bool
    latency_ms: int | None
    request: str
    reply: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class FileChange:
    """What accepting would do to one file.

    Attributes:
        sha_before, sha_after: of the target's text, now and then.
        tells: the event that is sent.
        is_written: whether the file changes at all; of several texts one may stay as it is.
    """

    target: str
    path: str
    sha_before: str
    sha_after: str
    tells: str
    is_written: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AcceptCheck:
    """What accepting would do, and whether it may be done.

    Attributes:
        reason: why it may not; empty when it may.
        needs_note: whether a note is needed.
        path: the exact file that changes; of several, that of the leading target.
        sha_before, sha_after: of the text, now and then.
        tells: the events that are sent.
        gates: every gate, run again on the text that would be deployed.
        files: each file, also where there is only one; they change in one step or not at all.
    """

    allowed: bool
    reason: str
    needs_note: bool
    path: str
    sha_before: str
    sha_after: str
    text: str
    tells: tuple[str, ...]
    gates: tuple[Mapping[str, Any], ...] = ()
    is_selection: bool = False
    files: tuple[FileChange, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeView:
    """A proposal merged with what the live text became since its run began.

    Attributes:
        text: the merged text; ``None`` while a person has to decide about ``conflicts``.
        live_sha256: what to pass to ``accept`` as ``onto`` with the merged text.
        has_changed: whether the live text changed at all.
    """

    is_clean: bool
    text: str | None
    conflicts: tuple[Mapping[str, Any], ...]
    live_text: str
    live_sha256: str
    has_changed: bool

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "is_clean": self.is_clean, "text": self.text, "conflicts": [dict(c) for c in self.conflicts],
            "live_sha256": self.live_sha256, "has_changed": self.has_changed,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TryResult:
    """One input answered by the live text and by the proposed one."""

    before: str
    after: str
    calls: int
    cost_usd: float | None


def evidence_row(stored: StoredEvidence) -> EvidenceRow:
    """Return a stored case with its verdict."""
    change = stored.change
    verdict = (
        "unscored" if change is None else "same" if abs(change) < SAME_WITHIN else "better" if change > 0 else "worse"
    )
    return EvidenceRow(
        stored.example_id, stored.input, stored.expected, stored.role, stored.before, stored.after,
        stored.score_before, stored.score_after, change, verdict, stored.feedback_before, stored.feedback_after,
        stored.trace_id,
    )  # fmt: skip
