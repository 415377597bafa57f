"""A candidate of a search, and how it did on a set of examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.schema import Schema
from honeyguide.kernel.canonical import sha256_hex

BASELINE_ID = "g0-baseline"
WEAKEST = 3
"""How many of the lowest answers speak for the weakness of a candidate (first seed)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text to be tried.

    Attributes:
        id: ``g0-baseline``, ``gN-mI`` in the instruction search, ``gN-KIND-I`` in the schema search.
        text: the instruction, without the answer structure.
        deployed: the whole text as it would be deployed and is measured.
        parent: the id of the candidate it was made from.
        strategy: the strategy or mutation that made it; ``baseline`` for the first.
        feedback: what its maker was told had gone wrong.
        duplicate_of: the earlier candidate with the same deployed text, which already has the scores.
        refused: the gate that it failed before anything was spent on it.
        problem: why the mutator gave no new text; then ``text`` is the parent's.
    """

    id: str
    text: str
    deployed: str
    parent: str | None = None
    strategy: str = "baseline"
    generation: int = 0
    schema: Schema | None = None
    feedback: tuple[str, ...] = ()
    duplicate_of: str | None = None
    refused: GateResult | None = None
    problem: str = ""

    @property
    def is_worth_scoring(self) -> bool:
        """Whether it is new and passed the gates on text."""
        return self.duplicate_of is None and self.refused is None

    @property
    def sha256(self) -> str:
        """The hash of the deployed text."""
        return sha256_hex(self.deployed)

    def to_json(self) -> dict[str, Any]:
        """Return ``{id, parent, strategy, generation, chars, sha256, text}`` and whatever else is known."""
        data: dict[str, Any] = {
            "id": self.id,
            "parent": self.parent,
            "strategy": self.strategy,
            "generation": self.generation,
            "chars": len(self.deployed),
            "sha256": self.sha256,
            "text": self.text,
        }
        if self.schema is not None:
            data["complexity"] = round(self.schema.complexity, 6)
            data["schema"] = self.schema.to_json()
        if self.duplicate_of is not None:
            data["duplicateOf"] = self.duplicate_of
        if self.refused is not None:
            data["refused"] = self.refused.to_json()
        if self.problem:
            data["problem"] = self.problem
        return data


@dataclass(frozen=True, slots=True)
class Means:
    """Mean scores over ``n`` scored answers, each in [0, 1]; all zero for none, with a length penalty of 1.

    Attributes:
        examples: ids of the examples that were answered; only means over the same ones may be compared.
    """

    overall: float = 0.0
    correctness: float = 0.0
    procedure: float = 0.0
    conciseness: float = 0.0
    length_penalty: float = 1.0
    n: int = 0
    examples: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    def to_json(self) -> dict[str, float | int | str]:
        """Return the scores; ``cases`` is the same for means over the same examples, and empty for none."""
        return {
            "overall": round(self.overall, 6),
            "correctness": round(self.correctness, 6),
            "procedure": round(self.procedure, 6),
            "conciseness": round(self.conciseness, 6),
            "n": self.n,
            "cases": sha256_hex("\n".join(sorted(self.examples)))[:12] if self.examples else "",
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """The graded answers of one text, in the order in which the examples were given."""

    evaluations: tuple[Evaluation, ...] = ()
    _scores: dict[str, float] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        scores = {e.example_id: e.verdict.score.overall for e in self.evaluations if e.verdict.score is not None}
        object.__setattr__(self, "_scores", scores)

    @property
    def scores(self) -> Mapping[str, float]:
        """Example id -> overall score, for the scored answers only."""
        return self._scores

    @property
    def unscored(self) -> int:
        return len(self.evaluations) - len(self._scores)

    def means(self, among: Iterable[str] | None = None) -> Means:
        """Return the means over the scored answers, or over those among the given example ids."""
        wanted = None if among is None else set(among)
        scored = [
            (e.example_id, e.verdict.score)
            for e in self.evaluations
            if e.verdict.score is not None and (wanted is None or e.example_id in wanted)
        ]
        if not scored:
            return Means()
        rows = [score for _, score in scored]
        n = len(rows)
        return Means(
            sum(row.overall for row in rows) / n,
            sum(row.correctness for row in rows) / n,
            sum(row.procedure for row in rows) / n,
            sum(row.conciseness for row in rows) / n,
            sum(row.length_penalty for row in rows) / n,
            n,
            frozenset(example for example, _ in scored),
        )

    def weakest(self) -> list[Evaluation]:
        """Return the scored answers, the lowest score first; equal ones keep their order."""
        scored = [e for e in self.evaluations if e.example_id in self._scores]
        return sorted(scored, key=lambda e: self._scores[e.example_id])

    def weakness_feedback(self, count: int = WEAKEST) -> tuple[str, ...]:
        """Return what was said of the ``count`` lowest answers, where something was said."""
        return tuple(e.verdict.feedback for e in self.weakest()[:count] if e.verdict.feedback)


def like_for_like(measured: Mapping[str, Measurement]) -> dict[str, Means]:
    """Return the means of every candidate over exactly the examples that all of them have a score for."""
    if not measured:
        return {}
    shared = set.intersection(*(set(m.scores) for m in measured.values()))
    return {name: m.means(shared) for name, m in measured.items()}


def paired(one: Measurement, other: Measurement) -> list[tuple[float, float]]:
    """Return the scores of both on the examples that both have a score for, in the order of ``one``."""
    return [(score, other.scores[key]) for key, score in one.scores.items() if key in other.scores]


def best_first(candidates: Sequence[Candidate], means: Mapping[str, Means]) -> list[Candidate]:
    """Order by overall score, then by the smaller cost of length, then by the earlier generation, then as given."""
    return sorted(
        candidates,
        key=lambda c: (-round(means[c.id].overall, 9), -round(means[c.id].length_penalty, 9), c.generation),
    )
