"""Reported problems as front ends see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from honeyguide.feedback import Duplicate, FeedbackItem


@dataclass(frozen=True, slots=True)
class FeedbackAdded:
    """A problem that was just reported.

    Attributes:
        duplicates: open problems that may be the same, to merge.
        next_step, plan: commands that may follow.
    """

    item: FeedbackItem
    duplicates: tuple[Duplicate, ...]
    next_step: str
    plan: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "feedback": self.item.to_json(),
            "duplicates": [
                {"id": one.item.id, "message": one.item.message, "similarity": round(one.similarity, 3)}
                for one in self.duplicates
            ],
            "next": self.next_step,
            "plan": self.plan,
        }


@dataclass(frozen=True, slots=True)
class FeedbackList:
    """Reported problems, and lines of the log that could not be read."""

    items: tuple[FeedbackItem, ...]
    damaged_lines: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "feedback": [item.to_json() for item in self.items],
            "total": len(self.items),
            "damaged_lines": list(self.damaged_lines),
        }


@dataclass(frozen=True, slots=True)
class FeedbackDetail:
    """One problem with its proof.

    Attributes:
        suite: the suite of its target, when there is one.
        cases: names of the cases that reproduce it.
        coverage: ``reproduced``, ``unreproduced`` or ``no-suite``.
        draft: the drafted case, when there is one.
        suite_cases: names of all cases of the suite, to link one of them.
    """

    item: FeedbackItem
    suite: str | None
    cases: tuple[str, ...]
    draft: str | None
    duplicates: tuple[Duplicate, ...] = ()
    suite_cases: tuple[str, ...] = ()

    @property
    def coverage(self) -> str:
        """Whether some case reproduces it."""
        return "reproduced" if self.cases else "unreproduced" if self.suite else "no-suite"

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            **self.item.to_json(),
            "coverage": self.coverage,
            "suite": self.suite,
            "cases": list(self.cases),
            "draft": self.draft,
            "duplicates": [{"id": one.item.id, "similarity": round(one.similarity, 3)} for one in self.duplicates],
            "suite_cases": list(self.suite_cases),
        }


@dataclass(frozen=True, slots=True)
class DistilledCase:
    """A drafted case; it counts only after a person edited and linked it."""

    item: FeedbackItem
    draft: str
    suite: str | None
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"feedback": self.item.to_json(), "draft": self.draft, "suite": self.suite, "trusted": False}
