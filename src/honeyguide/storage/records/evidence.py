"""Corrections, feedback, datasets, evidence, verifications."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from honeyguide.storage.records.common import Json


class CorrectionState(StrEnum):
    """What a person said of a suggested correction."""

    SUGGESTED = "suggested"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class CorrectionDraft:
    """A detected correction, before it is stored.

    Attributes:
        place: where the span stands, e.g. ``next-turn``, ``scores[2].comment``.
        span_start, span_end: character offsets in ``context``, or in the text at ``place``.
        span_text: the exact words.
        context: the text around them, as it is shown.
        suggestion: what an answer must or must not do, as far as it can be said without a person.
        replacement: what the person wanted instead, where the source holds it.
    """

    trace_id: int
    detector: str
    place: str
    span_start: int
    span_end: int
    span_text: str
    context: str = ""
    language: str | None = None
    suggestion: str = ""
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class CorrectionRecord:
    """A stored correction; see ``CorrectionDraft``. ``edit_text`` is the person's own wording."""

    id: int
    trace_id: int
    detector: str
    place: str
    span_start: int
    span_end: int
    span_text: str
    context: str
    language: str | None
    suggestion: str
    replacement: str | None
    state: str
    edit_text: str | None
    created_at: str
    decided_at: str | None


@dataclass(frozen=True, slots=True)
class DetectorRecord:
    """How often a detector was right, in a person's verdicts."""

    detector: str
    suggested: int
    confirmed: int
    dismissed: int

    @property
    def precision(self) -> float | None:
        """Share of confirmed among decided; ``None`` before the first verdict."""
        decided = self.confirmed + self.dismissed
        return self.confirmed / decided if decided else None


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """A reported problem."""

    id: str
    target_kind: str
    target_name: str
    text: str
    state: str = "open"
    expected: str | None = None
    actual: str | None = None
    trace_id: int | None = None
    run_uuid: str | None = None
    case_id: str | None = None
    details: Json = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A stored dataset without its examples."""

    dataset_hash: str
    holdout_hash: str
    target_kind: str | None
    target_name: str | None
    seed: int
    sourced: int
    dropped: Json
    removed: int
    created_at: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One holdout example, both answers, both scores (means over repetitions; ``None`` is unscored)."""

    example_id: str
    trace_id: int | None
    input: str
    expected: str
    role: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    feedback_before: str
    feedback_after: str
    unscored: int

    @property
    def change(self) -> float | None:
        """Score after minus score before; ``None`` when either is unscored."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after - self.score_before


@dataclass(frozen=True, slots=True)
class StoredVerification:
    """A verification as it is stored: its figures as columns, and ``details`` as ``Verification.to_json`` wrote it."""

    attempt_uuid: str
    candidate_id: str
    holdout_hash: str
    outcome: str
    label: str
    n: int
    repeats: int
    baseline: float | None
    candidate: float | None
    delta: float | None
    interval_low: float | None
    interval_high: float | None
    confidence: float | None
    p_value: float | None
    noise_floor: float | None
    unscored: int
    wins: int
    ties: int
    losses: int
    receipt: str | None
    details: Json
    created_at: str
