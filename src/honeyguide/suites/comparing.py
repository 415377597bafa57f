"""The decision table: what two verified sides allow to be said of a proposed text, whatever kind of target it is.

Only a case that is linked to a reported problem, was red on the current text and green on the proposed one, without a
mixed trial on either side, is proof that the problem is solved; and only while every other case passed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from honeyguide.evals.findings import Finding
from honeyguide.suites.trials import SuiteOutcome, TrialStatus


class ComparisonCode(StrEnum):
    """Why a comparison ended as it did; stable, for machines."""

    RED_GREEN = "red-green"
    NOT_MEASURED = "guardrails-passed"
    REGRESSED = "regressed"
    PROPOSAL_INCONCLUSIVE = "proposal-inconclusive"
    PROPOSAL_FLAKY = "proposal-flaky"
    CURRENT_INCONCLUSIVE = "current-inconclusive"
    CURRENT_FLAKY = "current-flaky"
    INPUTS_CHANGED = "inputs-changed"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What may be said.

    Attributes:
        improved: ids of the problems that were shown to be solved.
    """

    finding: Finding
    code: ComparisonCode
    reason: str
    improved: tuple[str, ...] = ()


def unfit_current(current: SuiteOutcome) -> Comparison | None:
    """Return why nothing may be compared with the current side; ``None`` when it may. Failing cases are fine."""
    if current.inputs_changed:
        return _unsure(ComparisonCode.INPUTS_CHANGED, "What the proof rests on changed during the test.")
    if current.count(TrialStatus.INCONCLUSIVE) or len(current.cases) < current.planned:
        said = f"The current text could not be measured. {_first(current)}".strip()
        return _unsure(ComparisonCode.CURRENT_INCONCLUSIVE, said)
    if current.flaky:
        return _unsure(ComparisonCode.CURRENT_FLAKY, f"{current.flaky} case(s) of the current text were flaky.")
    return None


def compare_sides(current: SuiteOutcome, proposal: SuiteOutcome, evidence_ids: Collection[str]) -> Comparison:
    """Return what may be said of a proposal whose two sides were verified."""
    passed = f"{proposal.count(TrialStatus.PASS)}/{proposal.planned}"
    if proposal.inputs_changed:
        return _unsure(ComparisonCode.INPUTS_CHANGED, "What the proof rests on changed during the test.")
    if proposal.is_clean:
        improved = improved_ids(current, proposal, evidence_ids)
        if improved:
            said = f"{len(improved)} reported problem(s) turned from red to green; {passed} cases pass."
            return Comparison(Finding.VERIFIED_IMPROVEMENT, ComparisonCode.RED_GREEN, said, improved)
        said = f"{passed} cases pass; no case shows the reported problem red and then green."
        return Comparison(Finding.REGRESSION_SAFE, ComparisonCode.NOT_MEASURED, said)
    if proposal.flaky:
        return _unsure(ComparisonCode.PROPOSAL_FLAKY, f"{proposal.flaky} case(s) of the proposal were flaky.")
    if proposal.count(TrialStatus.INCONCLUSIVE) or len(proposal.cases) < proposal.planned:
        said = f"The proposal could not be measured. {_first(proposal)}".strip()
        return _unsure(ComparisonCode.PROPOSAL_INCONCLUSIVE, said)
    said = f"{proposal.count(TrialStatus.FAIL)} case(s) failed on the proposal. {_first(proposal)}".strip()
    return Comparison(Finding.REJECTED, ComparisonCode.REGRESSED, said)


def improved_ids(current: SuiteOutcome, proposal: SuiteOutcome, evidence_ids: Collection[str]) -> tuple[str, ...]:
    """Return the problems that a linked case showed red before and green after."""
    improved: list[str] = []
    for case in proposal.cases:
        before = current.named(case.case.name)
        if before is None or proposal.named(case.case.name) is None:
            continue
        is_green = case.status is TrialStatus.PASS and not case.is_flaky
        was_red = before.status is TrialStatus.FAIL and not before.is_flaky
        if is_green and was_red:
            linked = set(case.case.evidence) & set(before.case.evidence)
            improved += [id for id in case.case.evidence if id in linked and id in evidence_ids]
    return tuple(dict.fromkeys(improved))


def _unsure(code: ComparisonCode, reason: str) -> Comparison:
    return Comparison(Finding.INCONCLUSIVE, code, reason)


def _first(outcome: SuiteOutcome) -> str:
    return outcome.failures[0][:300] if outcome.failures else ""
