"""What comes of a flow's run: the decision table of ``suites.comparing``, and what can end a run before it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from honeyguide.flows.runs import RunStatus
from honeyguide.suites.comparing import Comparison, compare_sides, unfit_current
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
    NOTHING_BETTER = "nothing-better"
    CAPABILITY_ADDED = "capability-added"
    FRONTMATTER_CHANGED = "frontmatter-changed"
    INPUTS_CHANGED = "inputs-changed"
    INTERRUPTED = "interrupted"
    BUDGET = "budget"
    FAILED = "failed"


SAME_TEXT = (OutcomeCode.IDENTICAL, OutcomeCode.NOTHING_BETTER)
"""A run that found nothing better is also done."""


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
        return 0 if self.keeps_evidence_targeted or self.code in SAME_TEXT else 6


def check_current(current: SuiteOutcome) -> Outcome | None:
    """Return why nothing may be drafted on the current side's results; ``None`` when it may."""
    unfit = unfit_current(current)
    return None if unfit is None else _outcome(unfit)


def decide(current: SuiteOutcome, proposal: SuiteOutcome, evidence_ids: Collection[str]) -> Outcome:
    """Return what may be said of a proposal that was verified."""
    return _outcome(compare_sides(current, proposal, evidence_ids))


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


def _outcome(found: Comparison) -> Outcome:
    return Outcome(RunStatus(found.finding.value), OutcomeCode(found.code.value), found.reason, found.improved)
