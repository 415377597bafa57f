"""A proposal under way: what it works with, the tries it made, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evals.receipts import Receipt
from honeyguide.flows.capabilities import CapabilityChange
from honeyguide.flows.children import Children
from honeyguide.flows.deciding import Outcome
from honeyguide.flows.desk import FlowDesk, FlowView, ModelAccess
from honeyguide.flows.document import FlowDocument
from honeyguide.flows.maintainer import RejectedTry
from honeyguide.flows.plans import FlowPlan
from honeyguide.flows.runs import FlowRun, RunStatus
from honeyguide.suites.trials import SuiteOutcome

Report = Callable[[str, Mapping[str, Any]], None]


@dataclass(slots=True)
class Try:
    """One proposal of a run."""

    document: FlowDocument
    capability: CapabilityChange
    results: SuiteOutcome | None
    outcome: Outcome


@dataclass(slots=True)
class Work:
    """Everything that the steps of one proposal share.

    Attributes:
        receipt: what the proof rests on, from before the first call.
        rejected: prompts that were turned down, for the next request.
        current: results of the current side, once it was run.
    """

    desk: FlowDesk
    plan: FlowPlan
    run: FlowRun
    report: Report
    receipt: Receipt
    access: ModelAccess | None = None
    rejected: list[RejectedTry] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    current: SuiteOutcome | None = None

    @property
    def view(self) -> FlowView:
        """The flow."""
        return self.plan.view

    @property
    def children(self) -> Children:
        """Who notes the processes of this run."""
        return Children(self.desk.home.run(self.run.id))

    def move(self, status: RunStatus, **changes: Any) -> None:
        """Store another state of the run, and tell it."""
        self.run = self.desk.runs.move(self.run, status, **changes)
        self.report(
            "state",
            {"runId": self.run.id, "status": status.value, **({"reason": r} if (r := changes.get("reason")) else {})},
        )

    def spend(self, calls: int) -> None:
        """Count executions."""
        self.run = self.desk.runs.move(
            self.run, self.run.status, actual_invocations=self.run.actual_invocations + calls
        )
