"""A target's eval suite as front ends see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.flows.receipts import SuiteVerdict
from honeyguide.suites import PlannedCase


@dataclass(frozen=True, slots=True)
class SuiteView:
    """A suite, looked at without running it.

    Attributes:
        path: ``None`` when the target has none.
        problem: (code, sentence) of what keeps it from being run.
        verdict: what its last results say of the present text; whether they are of that text; why.
        calls: model calls that one run of it needs at most; ``costs_money`` when they are paid for.
    """

    target: str
    path: Path | None
    cases: tuple[PlannedCase, ...]
    problem: tuple[str, str] | None
    verdict: tuple[SuiteVerdict, bool, str]
    results: Mapping[str, Any] | None
    calls: int = 0
    costs_money: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "target": self.target,
            "suite": None if self.path is None else str(self.path),
            "cases": [case.to_json() for case in self.cases],
            "evalInvocations": sum(case.repetitions for case in self.cases),
            "calls": {"low": 0 if self.problem else self.calls, "high": self.calls},
            "costs_money": self.costs_money,
            "problem": None if self.problem is None else {"code": self.problem[0], "message": self.problem[1]},
            "verification": {
                "verdict": self.verdict[0].value, "current": self.verdict[1], "reason": self.verdict[2],
            },
            "results": self.results,
        }  # fmt: skip
