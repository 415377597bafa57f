"""What a suite holds, as data: what can be planned without running anything, and what a trial needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from honeyguide.evals.examples import CheckSpec
from honeyguide.kernel.canonical import fingerprint

MAX_REPETITIONS: Final = 100
DEFAULT_TIMEOUT_MS: Final = 180_000


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """What decides how often a case is paid for, and what it proves.

    Attributes:
        name: joins the two sides of a comparison; unique in its suite.
        evidence: ids of the reported problems that it reproduces.
        repetitions: trials, 1 to ``MAX_REPETITIONS``.
        quorum: trials that must pass, 1 to ``repetitions``.
        draft: whether a person has not yet said what would be right.
    """

    name: str
    evidence: tuple[str, ...] = ()
    repetitions: int = 1
    quorum: int = 1
    draft: bool = False

    @property
    def id(self) -> str:
        """20 hex digits that name the case with everything that decides about it."""
        return fingerprint([self.name, list(self.evidence), self.repetitions, self.quorum])[:20]

    def to_json(self) -> dict[str, Any]:
        """Return the case as plain data."""
        return {
            "name": self.name,
            "evidence": list(self.evidence),
            "repetitions": self.repetitions,
            "quorum": self.quorum,
            "draft": self.draft,
        }


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """A suite as far as it can be known without running anything.

    Attributes:
        with_input: names of the cases that give the target something.
    """

    cases: tuple[PlannedCase, ...]
    with_input: frozenset[str] = frozenset()

    @property
    def invocations(self) -> int:
        """Executions that one side needs."""
        return sum(case.repetitions for case in self.cases)

    @property
    def drafts(self) -> tuple[str, ...]:
        """Names of the cases that nobody has finished."""
        return tuple(case.name for case in self.cases if case.draft)

    @property
    def repeated_names(self) -> tuple[str, ...]:
        """Names that more than one case has, so that nobody could say which one turned green."""
        counts = Counter(case.name for case in self.cases)
        return tuple(name for name, count in counts.items() if count > 1)

    @property
    def evidence(self) -> frozenset[str]:
        """Ids of all problems that some case reproduces."""
        return frozenset(id for case in self.cases for id in case.evidence)

    def uncovered(self, ids: Collection[str]) -> tuple[str, ...]:
        """Return those of ``ids`` that no case reproduces."""
        covered = self.evidence
        return tuple(id for id in ids if id not in covered)


@dataclass(frozen=True, slots=True)
class EvalCase:
    """One case with everything that a trial needs.

    Attributes:
        input: what the target is given, by whatever way it takes it; ``None`` for nothing.
        stdin, prompt: the same by an explicit way, for flows: piped in, or as the first argument.
        cwd: a folder relative to the flow's; ``None`` for a fresh, empty one per trial.
        files: fixtures to write first, path to text.
        checks: what must hold of the output; files and exit code count too.
        rubric: what a judge is asked, when deterministic checks do not suffice.
        rubric_pass: the score from which the judge's verdict passes, 0 to 1.
    """

    plan: PlannedCase
    input: str | None = None
    stdin: str | None = None
    prompt: str | None = None
    cwd: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    allow_non_zero: bool = False
    checks: tuple[CheckSpec, ...] = ()
    rubric: str | None = None
    rubric_pass: float = 0.7

    @property
    def name(self) -> str:
        """The case's name."""
        return self.plan.name


@dataclass(frozen=True, slots=True)
class Suite:
    """A declarative suite, read."""

    cases: tuple[EvalCase, ...]

    @property
    def plan(self) -> SuitePlan:
        """What can be planned."""
        given = frozenset(c.name for c in self.cases if any(t is not None for t in (c.input, c.stdin, c.prompt)))
        return SuitePlan(tuple(case.plan for case in self.cases), given)
