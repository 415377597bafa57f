"""Run a flow's suite on the flow as it is, in a copy of its repository, and keep the results with their receipt."""

from __future__ import annotations

import asyncio

from honeyguide.flows.children import Children
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.plans import FlowPlan
from honeyguide.flows.proposal_work import Report
from honeyguide.flows.proposing import receipt_now
from honeyguide.flows.receipts import RecordedResults
from honeyguide.flows.sides import run_side
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.suites.runner import SuiteProgress
from honeyguide.suites.trials import SuiteOutcome


async def evaluate(
    desk: FlowDesk,
    plan: FlowPlan,
    *,
    confirmed: bool,
    case: str | None = None,
    report: Report = lambda kind, data: None,
) -> SuiteOutcome:
    """Run a flow's suite on the flow as it is, in a copy of its repository, and keep the results with their receipt.

    Raises:
        PolicyRefused: a suite that cannot be run, or one that costs money and nobody agreed.
        InvalidInput: no case has this name.
    """
    view = plan.view
    problem = view.suite.problem[1] if view.suite is not None and view.suite.problem else None
    if view.suite is None or problem or view.suite.plan.drafts or plan.receipt is None:
        raise PolicyRefused(
            problem or (plan.decision.reason if not plan.ready else plan.receipt_problem),
            details={"reason_code": plan.decision.code.value},
        )
    if case is not None and case not in [one.name for one in view.suite.plan.cases]:
        raise InvalidInput(f"The suite has no case {case!r}.", details={"reason_code": "FILTER_EMPTY"})
    if not confirmed and not plan.is_free:
        raise PolicyRefused(
            "Running the suite costs money, and nobody confirmed it.",
            hint="Add --yes.",
            details={"plan": plan.to_json()},
        )
    folder = desk.home.root / "evals" / view.place.flow_id / iso(desk.clock.now()).replace(":", "").replace(".", "")
    access = desk.models.open(folder) if desk.models is not None else None

    def told(progress: SuiteProgress) -> None:
        report("trial", {"side": "current", "case": progress.case, "trial": progress.trial, "done": progress.done,
                         "planned": progress.planned, "status": progress.status.value})  # fmt: skip

    try:
        with desk.home.locked(view.place.flow_id, f"the suite of {view.place.path.name}"):
            outcome = await run_side(
                desk, view, view.data, access=access, scratch=folder / "workspaces", watcher=Children(folder),
                only=lambda one: case is None or one.name == case, report=told,
            )  # fmt: skip
            now = await asyncio.to_thread(receipt_now, desk, plan)
            if now.digest != plan.receipt.digest:
                outcome = SuiteOutcome(outcome.cases, outcome.planned, inputs_changed=True)
            else:
                results = RecordedResults(now, outcome, iso(desk.clock.now()), case is None)
                desk.receipts.write(view.place.flow_id, results)
            return outcome
    finally:
        if access is not None:
            await access.close()
