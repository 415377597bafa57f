"""What a proposal would cost, and whether one may be made: free, and without importing or running anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.flows.policy import Mode, Policy


class ReasonCode(StrEnum):
    """Why a proposal may or may not be made, in the order in which it is found out."""

    FLOW_NOT_FOUND = "FLOW_NOT_FOUND"
    NO_SUITE = "NO_SUITE"
    UNTRUSTED_SIDECAR = "UNTRUSTED_SIDECAR"
    DYNAMIC_SUITE = "DYNAMIC_SUITE"
    SUITE_INVALID = "SUITE_INVALID"
    DRAFT_SUITE = "DRAFT_SUITE"
    DUPLICATE_NAMES = "DUPLICATE_NAMES"
    INPUT_UNUSED = "INPUT_UNUSED"
    WORKFLOW_UNSUPPORTED = "WORKFLOW_UNSUPPORTED"
    POLICY_OFF = "POLICY_OFF"
    VERIFICATION_STALE = "VERIFICATION_STALE"
    FEEDBACK_UNCOVERED = "FEEDBACK_UNCOVERED"
    NO_ACTIONABLE_EVIDENCE = "NO_ACTIONABLE_EVIDENCE"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    READY = "READY"


_EXIT = {
    ReasonCode.FLOW_NOT_FOUND: 3,
    ReasonCode.UNTRUSTED_SIDECAR: 6,
    ReasonCode.DYNAMIC_SUITE: 2,
    ReasonCode.SUITE_INVALID: 2,
    ReasonCode.DRAFT_SUITE: 6,
    ReasonCode.DUPLICATE_NAMES: 2,
    ReasonCode.INPUT_UNUSED: 2,
}


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Everything that decides.

    Attributes:
        suite_problem: (code, sentence) of a suite that cannot be planned.
        repeated_names, unused_inputs: cases that share a name; whose input the flow has no place for.
        is_automatic: whether nobody asked for this run.
        verification_is_current: whether the last results still hold and allow automatic work.
        actionable, uncovered: problems that may begin work; those of them that no case reproduces.
        rough_runs: failed executions that nobody classified.
        cooldown_left_ms: until the next automatic proposal.
    """

    suite_exists: bool = True
    is_untrusted: bool = False
    suite_problem: tuple[ReasonCode, str] | None = None
    drafts: Sequence[str] = ()
    repeated_names: Sequence[str] = ()
    unused_inputs: Sequence[str] = ()
    is_workflow: bool = False
    policy: Policy = field(default_factory=Policy)
    is_automatic: bool = False
    verification_is_current: bool = False
    actionable: int = 0
    uncovered: Sequence[str] = ()
    rough_runs: int = 0
    planned: int = 0
    runs_today: int = 0
    cooldown_left_ms: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a proposal may be made."""

    code: ReasonCode
    reason: str

    @property
    def evolve(self) -> bool:
        """Whether it may."""
        return self.code is ReasonCode.READY

    @property
    def exit_code(self) -> int:
        """What ``flow plan`` exits with: 0 when the plan could be made, whatever it says."""
        return _EXIT.get(self.code, 0)

    def to_json(self) -> dict[str, Any]:
        """Return ``{"evolve", "reasonCode", "reason"}``."""
        return {"evolve": self.evolve, "reasonCode": self.code.value, "reason": self.reason}


def planned_invocations(eval_invocations: int, candidates: int = 1) -> int:
    """Return the most executions that a proposal needs: proposals, the current side once, each proposal's side."""
    return candidates + (1 + candidates) * eval_invocations


def decide_plan(facts: PlanFacts) -> Decision:
    """Return the first thing in the way, or READY."""
    code = ReasonCode
    workflow = Decision(
        code.WORKFLOW_UNSUPPORTED,
        "Feedback on a workflow is kept; a proposal would have to know which step is at fault.",
    )
    policy = facts.policy
    if not facts.suite_exists:
        return workflow if facts.is_workflow else Decision(
            code.NO_SUITE, "There is no eval suite; add <flow>.eval.yaml beside the flow first."
        )  # fmt: skip
    if facts.is_untrusted:
        return Decision(code.UNTRUSTED_SIDECAR, "The flow came from a registry; its suite is not trusted.")
    if facts.suite_problem is not None:
        return Decision(*facts.suite_problem)
    if facts.drafts:
        return Decision(code.DRAFT_SUITE, f"Nobody has finished: {_listed(facts.drafts)}.")
    if facts.repeated_names:
        return Decision(code.DUPLICATE_NAMES, f"Several cases share a name: {_listed(facts.repeated_names)}.")
    if facts.unused_inputs:
        return Decision(
            code.INPUT_UNUSED,
            f"The flow has no place for the input of: {_listed(facts.unused_inputs)}; use {{{{ _1 }}}}.",
        )
    if facts.is_workflow:
        return workflow
    if policy.mode is Mode.OFF:
        return Decision(code.POLICY_OFF, "Proposals are switched off for this flow.")
    if facts.is_automatic and not facts.verification_is_current:
        return Decision(
            code.VERIFICATION_STALE,
            "Automatic work needs results of the present text; run 'honeyguide flow eval' first.",
        )
    if facts.is_automatic and policy.require_feedback_eval and facts.uncovered:
        return Decision(
            code.FEEDBACK_UNCOVERED, f"No case reproduces {_listed(facts.uncovered)}; link one before automatic work."
        )
    if facts.actionable == 0:
        rough = f" {facts.rough_runs} failed run(s) need to be classified first." if facts.rough_runs else ""
        return Decision(code.NO_ACTIONABLE_EVIDENCE, f"No open feedback to work on.{rough}")
    if facts.planned > policy.max_invocations:
        return Decision(
            code.BUDGET_EXCEEDED, f"It needs up to {facts.planned} calls; the policy allows {policy.max_invocations}."
        )
    if facts.is_automatic and facts.runs_today >= policy.max_per_day:
        return Decision(code.BUDGET_EXCEEDED, f"The policy allows {policy.max_per_day} proposal(s) a day.")
    if facts.is_automatic and facts.cooldown_left_ms > 0:
        minutes = -(-facts.cooldown_left_ms // 60_000)
        return Decision(code.BUDGET_EXCEEDED, f"The next automatic proposal may begin in {minutes} min.")
    return Decision(code.READY, f"{facts.actionable} open problem(s); the flow stays as it is until you apply.")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
