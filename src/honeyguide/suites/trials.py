"""What a trial, a case and a suite come to: passed, failed, or nobody can say.

A trial is *inconclusive* when the reason lies outside the text: time ran out, the provider was overloaded, a key was
refused. Such a trial is no evidence for anything. A case whose trials both passed and failed is *flaky*, whatever its
quorum says, and mints no proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from honeyguide.feedback.items import FailureClass
from honeyguide.suites.cases import PlannedCase


class TrialStatus(StrEnum):
    """What a trial or a case came to."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One trial.

    Attributes:
        invoked: whether the target was run, so that the trial counts as an execution.
        output: what it said, kept to show and for the next proposal; never part of a decision.
    """

    status: TrialStatus
    reason: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    failure_class: FailureClass | None = None
    invoked: bool = True
    output: str = ""

    def to_json(self, number: int) -> dict[str, Any]:
        """Return the trial as plain data, without what is not known."""
        data: dict[str, Any] = {"trial": number, "status": self.status.value}
        if self.reason:
            data["reason"] = self.reason
        if self.exit_code is not None:
            data["exitCode"] = self.exit_code
        if self.timed_out:
            data["timedOut"] = True
        if self.failure_class is not None:
            data["failureClass"] = self.failure_class.value
        if self.output:
            data["output"] = self.output
        return data


@dataclass(frozen=True, slots=True)
class CaseResult:
    """All trials of one case."""

    case: PlannedCase
    trials: tuple[TrialResult, ...]

    @property
    def passes(self) -> int:
        """How many trials passed."""
        return sum(trial.status is TrialStatus.PASS for trial in self.trials)

    @property
    def status(self) -> TrialStatus:
        """Pass with a quorum; fail when the quorum was out of reach; else nobody can say."""
        open_trials = sum(trial.status is TrialStatus.INCONCLUSIVE for trial in self.trials)
        if self.passes >= self.case.quorum:
            return TrialStatus.PASS
        if self.passes + open_trials < self.case.quorum:
            return TrialStatus.FAIL
        return TrialStatus.INCONCLUSIVE

    @property
    def is_flaky(self) -> bool:
        """Whether some trials passed and some failed."""
        statuses = {trial.status for trial in self.trials}
        return {TrialStatus.PASS, TrialStatus.FAIL} <= statuses

    @property
    def reason(self) -> str:
        """Why it did not pass, from the first trial that says so."""
        if self.status is TrialStatus.PASS:
            return ""
        same = [trial.reason for trial in self.trials if trial.status is self.status and trial.reason]
        other = [trial.reason for trial in self.trials if trial.reason]
        return (same or other or [""])[0]

    def to_json(self) -> dict[str, Any]:
        """Return the case as plain data."""
        data: dict[str, Any] = {"name": self.case.name, "status": self.status.value}
        if self.reason:
            data["reason"] = self.reason
        last = self.trials[-1] if self.trials else None
        if last is not None and last.exit_code is not None:
            data["exitCode"] = last.exit_code
        if last is not None and last.timed_out:
            data["timedOut"] = True
        return data | {
            "evidence": list(self.case.evidence),
            "repetitions": self.case.repetitions,
            "quorum": self.case.quorum,
            "passCount": self.passes,
            "flaky": self.is_flaky,
            "trials": [trial.to_json(n) for n, trial in enumerate(self.trials, start=1)],
        }


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """One side of a comparison.

    Attributes:
        planned: how many cases the suite has; fewer results mean that it was not run to its end.
        inputs_changed: whether something that the proof rests on changed while the suite ran.
    """

    cases: tuple[CaseResult, ...]
    planned: int
    inputs_changed: bool = False

    def count(self, status: TrialStatus) -> int:
        """Return how many cases came to ``status``."""
        return sum(case.status is status for case in self.cases)

    @property
    def flaky(self) -> int:
        """How many cases are flaky."""
        return sum(case.is_flaky for case in self.cases)

    @property
    def invocations(self) -> int:
        """How often the target was run."""
        return sum(trial.invoked for case in self.cases for trial in case.trials)

    @property
    def is_clean(self) -> bool:
        """Whether every planned case passed, none was flaky and nothing changed meanwhile."""
        return (
            self.planned > 0
            and not self.inputs_changed
            and len(self.cases) == self.planned
            and self.count(TrialStatus.PASS) == self.planned
            and self.flaky == 0
        )

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each case that did not pass."""
        lines = [f"{c.case.name}: {c.reason}" for c in self.cases if c.status is not TrialStatus.PASS]
        changed = ["EVAL_INPUTS_CHANGED: what the proof rests on changed while the suite ran."]
        return tuple(lines + (changed if self.inputs_changed else []))

    def named(self, name: str) -> CaseResult | None:
        """Return the case with this name, if there is exactly one."""
        found = [case for case in self.cases if case.case.name == name]
        return found[0] if len(found) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        data: dict[str, Any] = {
            "pass": self.count(TrialStatus.PASS),
            "fail": self.count(TrialStatus.FAIL),
            "inconclusive": self.count(TrialStatus.INCONCLUSIVE),
            "flaky": self.flaky,
            "invocations": self.invocations,
            "total": self.planned,
            "failures": list(self.failures),
            "cases": [case.to_json() for case in self.cases],
        }
        return data | ({"inputsChanged": True} if self.inputs_changed else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SuiteOutcome:
        """Read an outcome that was stored, also one of mdflow. Raises KeyError, ValueError for another shape."""
        cases = tuple(_case_from(case) for case in data["cases"])
        return cls(cases, int(data["total"]), data.get("inputsChanged") is True)


def _case_from(data: Mapping[str, Any]) -> CaseResult:
    plan = PlannedCase(
        name=str(data["name"]),
        evidence=tuple(str(id) for id in data.get("evidence", ())),
        repetitions=int(data.get("repetitions", 1)),
        quorum=int(data.get("quorum", 1)),
    )
    trials: Sequence[Mapping[str, Any]] = data.get("trials", ())
    return CaseResult(plan, tuple(_trial_from(trial) for trial in trials))


def _trial_from(data: Mapping[str, Any]) -> TrialResult:
    exit_code = data.get("exitCode")
    failure = data.get("failureClass")
    return TrialResult(
        TrialStatus(data["status"]),
        str(data.get("reason") or ""),
        exit_code if isinstance(exit_code, int) else None,
        data.get("timedOut") is True,
        FailureClass(failure) if failure else None,
        output=str(data.get("output", "")),
    )
