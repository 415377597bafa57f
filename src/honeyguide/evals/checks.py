"""Deterministic assertions on an output: what passed, what failed, and why in one sentence.

A check has a kind and a value; the kinds stand in a registry that other rooms extend with their own
(``with_kind``). A check that could not be decided, because a pattern ran out of time, is *inconclusive*: neither yes
nor no.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.evals.examples import CheckSpec
from honeyguide.kernel.errors import InvalidInput


class CheckStatus(StrEnum):
    """What a check came to."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What one kind of check says of one output."""

    status: CheckStatus
    reason: str

    @classmethod
    def of(cls, passed: bool, reason: str) -> CheckFinding:
        """Return a finding that passed or failed."""
        return cls(CheckStatus.PASSED if passed else CheckStatus.FAILED, reason)


CheckFunction = Callable[[Any, str], CheckFinding]
"""Takes the check's value and the output. Raises InvalidInput when the value makes no sense for the kind."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check with its finding; ``name`` is the person's own name for it, or its kind."""

    name: str
    kind: str
    status: CheckStatus
    reason: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of all checks of one example on one output."""

    results: tuple[CheckResult, ...]

    @property
    def share(self) -> float | None:
        """Share of the decided checks that passed, in [0, 1]; ``None`` when none could be decided."""
        decided = [r for r in self.results if r.status is not CheckStatus.INCONCLUSIVE]
        return sum(r.status is CheckStatus.PASSED for r in decided) / len(decided) if decided else None

    @property
    def passed(self) -> bool:
        """Whether every check passed; an inconclusive one did not."""
        return all(r.status is CheckStatus.PASSED for r in self.results)

    @property
    def complaints(self) -> str:
        """The reasons of what did not pass, one sentence after the other."""
        return " ".join(r.reason for r in self.results if r.status is not CheckStatus.PASSED)


@dataclass(frozen=True, slots=True)
class CheckRegistry:
    """The kinds of checks that are known; a value, extended by making a new one."""

    kinds: Mapping[str, CheckFunction] = field(default_factory=dict)

    def with_kind(self, kind: str, function: CheckFunction) -> CheckRegistry:
        """Return a registry that also knows ``kind``. Raises InvalidInput if it is known already."""
        if kind in self.kinds:
            raise InvalidInput(f"The check kind {kind!r} is registered already.")
        return CheckRegistry({**self.kinds, kind: function})

    def run(self, spec: CheckSpec, output: str) -> CheckResult:
        """Return the result of one check. Raises InvalidInput for an unknown kind or a value it cannot take."""
        function = self.kinds.get(spec.kind)
        if function is None:
            raise InvalidInput(
                f"There is no check of the kind {spec.kind!r}.", hint=f"Known kinds: {', '.join(sorted(self.kinds))}."
            )
        finding = function(spec.value, output)
        return CheckResult(spec.name or spec.kind, spec.kind, finding.status, finding.reason)

    def run_all(self, specs: Iterable[CheckSpec], output: str) -> CheckReport:
        """Return the results of all checks, in order."""
        return CheckReport(tuple(self.run(spec, output) for spec in specs))

    def validate(self, specs: Iterable[CheckSpec]) -> None:
        """Raise InvalidInput for the first check that could never be run, before any money is spent."""
        for spec in specs:
            self.run(spec, "")
