"""What a target's eval suite said of a text, as one of its gates."""

from __future__ import annotations

from dataclasses import replace

from honeyguide.evals.findings import Finding
from honeyguide.evolution.artifacts import Trial
from honeyguide.evolution.gates.results import GateResult, Verdict
from honeyguide.suites.proof import SuiteRecord


def with_suite_gate(trial: Trial, suite: SuiteRecord) -> Trial:
    """Return a finalist with the suite's word behind its other gates; only a case that failed on it refuses it."""
    said = suite.comparison
    verdict: Verdict = "fail" if said.finding is Finding.REJECTED else "pass"
    detail = {"outcome": said.finding.value, "reasonCode": said.code.value}
    return replace(trial, gates=(*trial.gates, GateResult("suite", verdict, said.reason, detail)))
