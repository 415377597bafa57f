"""An example: an input with what is expected of the answer. A dataset: a frozen, hashed list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.kernel.canonical import fingerprint


class ExpectationRole(StrEnum):
    """What ``Example.expected`` is."""

    REFERENCE = "reference"
    """An answer that was good."""
    RUBRIC = "rubric"
    """What an answer must or must not do, because an earlier one was wrong."""
    CHECKS = "checks"
    """Nothing but deterministic checks."""


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """One deterministic assertion on an output, as data; ``evals.checks`` knows the kinds."""

    kind: str
    value: Any = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """One case.

    Attributes:
        id: stable, derived from the content.
        input: what the agent was given.
        expected: the reference answer, or the rubric, by ``role``.
        role: what ``expected`` is.
        rejected: the earlier bad answer, kept as the negative of a rubric.
        checks: deterministic assertions, which outrank the judge.
        conversation: examples of one conversation never stand in two splits.
        metadata: traceId, personaId, taskShape, model, outcome, tags, source (trace, harvest, correction,
            feedback, suite), language, …; plain JSON values.
    """

    id: str
    input: str
    expected: str
    role: ExpectationRole = ExpectationRole.REFERENCE
    rejected: str | None = None
    checks: tuple[CheckSpec, ...] = ()
    conversation: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def content(self) -> dict[str, Any]:
        """Return what decides a measurement, for hashing."""
        return {
            "input": self.input,
            "expected": self.expected,
            "role": self.role.value,
            "rejected": self.rejected,
            "checks": [[c.kind, c.value] for c in self.checks],
            "conversation": self.conversation,
        }


@dataclass(frozen=True, slots=True)
class Drop:
    """A row that did not become an example, and why."""

    reason: str
    preview: str
    trace_id: int | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples split by conversation; search sees train and validation, verification alone sees holdout."""

    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    holdout: tuple[Example, ...]
    seed: int
    sourced: int = 0
    drops: tuple[Drop, ...] = ()

    @property
    def dataset_hash(self) -> str:
        """SHA-256 over the content of every example in its split."""
        return fingerprint(
            {
                "train": [e.content() for e in self.train],
                "validation": [e.content() for e in self.validation],
                "holdout": [e.content() for e in self.holdout],
            }
        )

    @property
    def dropped(self) -> dict[str, int]:
        """How many rows were dropped for each reason."""
        counts: dict[str, int] = {}
        for drop in self.drops:
            counts[drop.reason] = counts.get(drop.reason, 0) + 1
        return dict(sorted(counts.items()))

    def __len__(self) -> int:
        return len(self.train) + len(self.validation) + len(self.holdout)
