"""Corrections and their detectors as they are listed and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """One place where a person was not satisfied.

    Attributes:
        state: ``suggested``, ``confirmed`` or ``dismissed``.
        detector: what found it.
        span: the exact words; empty where the sign has none.
        place: where they stand.
        edit: the person's own wording, once given.
    """

    id: int
    trace_id: int
    state: str
    detector: str
    span: str
    place: str
    language: str | None
    created_at: str
    decided_at: str | None
    edit: str | None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class CorrectionDetail:
    """One correction with the answer it is about.

    Attributes:
        start, end: where the words stand in ``context``, in characters.
        request: what the agent had been asked.
        answer: what it answered.
        replacement: what the person wanted instead, where the source holds it.
        suggestion: a first wording of what an answer must do.
        wording: what confirming without an edit would say; empty when an edit is needed.
        targets: the targets that the trace speaks about.
    """

    row: CorrectionRow
    context: str
    start: int
    end: int
    request: str
    answer: str
    replacement: str | None
    suggestion: str
    wording: str
    targets: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            **self.row.to_json(),
            "context": self.context,
            "start": self.start,
            "end": self.end,
            "request": self.request,
            "answer": self.answer,
            "replacement": self.replacement,
            "suggestion": self.suggestion,
            "wording": self.wording,
            "targets": list(self.targets),
        }


@dataclass(frozen=True, slots=True)
class DetectorRow:
    """How often a detector was right, in a person's verdicts.

    Attributes:
        precision: share of confirmed among judged; ``None`` before the first verdict.
        is_switched_off: it was wrong too often and stays silent in later imports.
        sentence: both in words.
    """

    detector: str
    suggested: int
    confirmed: int
    dismissed: int
    precision: float | None
    is_switched_off: bool
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
