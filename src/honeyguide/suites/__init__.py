"""Eval suites: test cases that run a flow, or any other target, for real and check what came out.

`cases` and `yaml_suite` describe and read a declarative suite; `typescript` looks at a code suite without running it,
`code_suite` runs a trusted one out of process; `trials` says what a trial, a case and a suite came to; `context_checks`
adds checks of files and exit codes; `runner` runs a suite against a subject; `snapshots` copies a repository aside;
`linking` ties a case to a reported problem; `comparing` is the decision table and `proof` runs both sides by it;
`model_subject` and `examples` serve targets that are no flows. Rooms from `evolution` upward may import it.
"""

from honeyguide.suites.cases import EvalCase, PlannedCase, Suite, SuitePlan
from honeyguide.suites.runner import Attempt, Subject, run_suite
from honeyguide.suites.trials import CaseResult, SuiteOutcome, TrialResult, TrialStatus
from honeyguide.suites.yaml_suite import SuiteProblem, read_suite

__all__ = [
    "Attempt",
    "CaseResult",
    "EvalCase",
    "PlannedCase",
    "Subject",
    "Suite",
    "SuiteOutcome",
    "SuitePlan",
    "SuiteProblem",
    "TrialResult",
    "TrialStatus",
    "read_suite",
    "run_suite",
]
