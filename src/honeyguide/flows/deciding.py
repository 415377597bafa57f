"""The decision table: what two verified sides allow to be said of a proposal.

Only a case that is linked to a reported problem, was red on the current text and green on the proposed one, without a
mixed trial on either side, is proof that the problem is solved; and only while every other case passed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from honeyguide.flows.runs import RunStatus
from honeyguide.suites.trials import SuiteOutcome, TrialStatus


class OutcomeCode(StrEnum):
    """Why a run ended as it did; stable, for machines."""

    RED_GREEN = "red-green"
    NOT_MEASURED = "guardrails-passed"
    REGRESSED = "regressed"
    PROPOSAL_INCONCLUSIVE = "proposal-inconclusive"
    PROPOSAL_FLAKY = "proposal-flaky"
    CURRENT_INCONCLUSIVE = "current-inconclusive"
    CURRENT_FLAKY = "current-flaky"
    MAINTAINER_FAILED = "maintainer-failed"
    REPLY_INVALID = "reply-invalid"
    IDENTICAL = "identical"
    CAPABILITY_ADDED = "capability-added"
    FRONTMATTER_CHANGED = "frontmatter-changed"
    INPUTS_CHANGED = "inputs-changed"
    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        improved: ids of the problems that were shown to be solved.
    """

    status: RunStatus
    code: OutcomeCode
    reason: str
    improved: tuple[str, ...] = ()

    @property
    def keeps_evidence_targeted(self) -> bool:
        """Whether the proposal waits for a person, with its problems."""
        return self.status in (RunStatus.VERIFIED_IMPROVEMENT, RunStatus.REGRESSION_SAFE)

    @property
    def exit_code(self) -> int:
        """What the command line exits with: 0 for something to look at, or the same text; else 6."""
        return 0 if self.keeps_evidence_targeted or self.code is OutcomeCode.IDENTICAL else 6


def check_current(current: SuiteOutcome) -> Outcome | None:
    """Return why nothing may be drafted on the current side's results; ``None`` when it may. Failing cases are fine."""
    if current.inputs_changed:
        return Outcome(
            RunStatus.INCONCLUSIVE, OutcomeCode.INPUTS_CHANGED, "What the proof rests on changed during the test."
        )
    if current.count(TrialStatus.INCONCLUSIVE) or len(current.cases) < current.planned:
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.CURRENT_INCONCLUSIVE,
            f"The current text could not be measured. {_first(current)}".strip(),
        )
    if current.flaky:
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.CURRENT_FLAKY,
            f"{current.flaky} case(s) of the current text were flaky.",
        )
    return None


def decide(current: SuiteOutcome, proposal: SuiteOutcome, evidence_ids: Collection[str]) -> Outcome:
    """Return what may be said of a proposal that was verified."""
    passed = f"{proposal.count(TrialStatus.PASS)}/{proposal.planned}"
    if proposal.inputs_changed:
        return Outcome(
            RunStatus.INCONCLUSIVE, OutcomeCode.INPUTS_CHANGED, "What the proof rests on changed during the test."
        )
    if proposal.is_clean:
        improved = improved_ids(current, proposal, evidence_ids)
        if improved:
            return Outcome(
                RunStatus.VERIFIED_IMPROVEMENT,
                OutcomeCode.RED_GREEN,
                f"{len(improved)} reported problem(s) turned from red to green; {passed} cases pass.",
                improved,
            )
        return Outcome(
            RunStatus.REGRESSION_SAFE,
            OutcomeCode.NOT_MEASURED,
            f"{passed} cases pass; no case shows the reported problem red and then green.",
        )
    if proposal.flaky:
        return Outcome(
            RunStatus.INCONCLUSIVE, OutcomeCode.PROPOSAL_FLAKY, f"{proposal.flaky} case(s) of the proposal were flaky."
        )
    if proposal.count(TrialStatus.INCONCLUSIVE) or len(proposal.cases) < proposal.planned:
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.PROPOSAL_INCONCLUSIVE,
            f"The proposal could not be measured. {_first(proposal)}".strip(),
        )
    return Outcome(
        RunStatus.REJECTED,
        OutcomeCode.REGRESSED,
        f"{proposal.count(TrialStatus.FAIL)} case(s) failed on the proposal. {_first(proposal)}".strip(),
    )


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


def decision_json(
    outcome: Outcome,
    current: SuiteOutcome | None,
    proposal: SuiteOutcome | None,
    capability: dict[str, Any] | None,
    tries: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return ``decision.json``."""
    data: dict[str, Any] = {
        "status": outcome.status.value,
        "reasonCode": outcome.code.value,
        "reason": outcome.reason,
        "sourceChanged": False,
        "targetEvidenceIds": list(outcome.improved),
    }
    for name, side in (("current", current), ("proposal", proposal)):
        if side is not None:
            data[name] = f"{side.count(TrialStatus.PASS)}/{side.planned}"
    if capability is not None:
        data["capabilityDiff"] = capability
    if tries:
        data["tries"] = list(tries)
    return data


def _first(outcome: SuiteOutcome) -> str:
    return outcome.failures[0][:300] if outcome.failures else ""
