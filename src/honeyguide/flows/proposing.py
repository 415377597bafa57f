"""Make a proposal: measure the flow as it is, ask for a better prompt, look at what it could do, measure it, decide.

Nothing outside the run's own folder is written. Whatever ends it, the reported problems are open again unless a
proposal waits for a person; and the decision is written down.
"""

from __future__ import annotations

import asyncio

from honeyguide.evals.receipts import Receipt
from honeyguide.flows.capabilities import compare
from honeyguide.flows.deciding import Outcome, OutcomeCode, check_current, decide
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.document import FlowDocument
from honeyguide.flows.drafting import drafted
from honeyguide.flows.fingerprints import changed_parts
from honeyguide.flows.keeping import begun, chosen, finish, keep_proposal
from honeyguide.flows.maintainer import RejectedTry
from honeyguide.flows.plans import FlowPlan
from honeyguide.flows.proposal_work import Report, Try, Work
from honeyguide.flows.receipts import RecordedResults
from honeyguide.flows.rendering import defaults
from honeyguide.flows.runs import FlowRun, RunStatus
from honeyguide.flows.searching import searched
from honeyguide.flows.sides import run_side
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import BudgetExceeded, Conflict, HoneyguideError, Interrupted, PolicyRefused
from honeyguide.suites.runner import SuiteProgress
from honeyguide.suites.trials import SuiteOutcome


async def propose(
    desk: FlowDesk, plan: FlowPlan, *, confirmed: bool, report: Report = lambda kind, data: None
) -> FlowRun:
    """Carry out a plan and return the finished run.

    Args:
        confirmed: whether a person agreed to what it costs; a plan that is free needs no agreement.
        report: told of every step, for whoever watches.

    Raises:
        PolicyRefused: it is not ready, or costs money and nobody agreed.
        Locked: somebody else works on this flow.
        Conflict: what the plan rests on changed since it was made.
        Interrupted: it was stopped; the run is kept as interrupted.
        HoneyguideError: what went wrong; the run is kept as inconclusive.
    """
    if not plan.ready or plan.receipt is None:
        reason = plan.decision.reason if not plan.ready else plan.receipt_problem
        raise PolicyRefused(reason, details={"plan": plan.to_json(), "reason_code": plan.decision.code.value})
    if not confirmed and not plan.is_free:
        raise PolicyRefused(
            "A proposal costs money, and nobody confirmed it.", hint="Add --yes.", details={"plan": plan.to_json()}
        )
    with desk.home.locked(plan.view.place.flow_id, f"a proposal for {plan.view.place.path.name}"):
        now = await asyncio.to_thread(receipt_now, desk, plan)
        if now.digest != plan.receipt.digest:
            raise Conflict(
                f"What the plan rests on changed ({', '.join(changed_parts(plan.receipt, now))}).",
                hint="Plan again.",
                details={"reason_code": "VERIFICATION_STALE"},
            )
        work = Work(desk, plan, begun(desk, plan), report, now)
        report("started", {"runId": work.run.id, "plannedInvocations": plan.planned})
        return await _carried_out(work)


async def _carried_out(work: Work) -> FlowRun:
    desk = work.desk
    try:
        if desk.models is not None:
            work.access = desk.models.open(desk.home.run(work.run.id))
        outcome = await _outcome(work)
        finish(work, outcome)
    except (asyncio.CancelledError, Interrupted):
        finish(work, Outcome(RunStatus.INTERRUPTED, OutcomeCode.INTERRUPTED, "Stopped before it ended."))
        raise
    except BudgetExceeded as error:
        finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.BUDGET, error.message))
        raise
    except HoneyguideError as error:
        finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.FAILED, error.message))
        raise
    except BaseException as error:
        finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.FAILED, f"It failed: {type(error).__name__}."))
        raise
    finally:
        if work.access is not None:
            await work.access.close()
    return work.run


async def _outcome(work: Work) -> Outcome:
    work.move(RunStatus.VERIFYING)
    current = await _side(work, work.view.data, "current")
    work.current = current
    work.desk.runs.artifact(work.run.id, "current-results.json", current.to_json())
    _remember(work, current)
    if (early := check_current(current)) is not None:
        return early
    nothing: Outcome | None = None
    for number in range(1, work.plan.candidates + 1):
        tried = await _try(work, number)
        if isinstance(tried, Outcome):
            nothing = tried
            if tried.code is OutcomeCode.INPUTS_CHANGED:
                return tried
            continue
        work.tries.append(tried)
        work.rejected.append(RejectedTry(tried.document.body, tried.outcome.reason))
        if tried.outcome.status is RunStatus.VERIFIED_IMPROVEMENT:
            break
    if work.tries or nothing is None:
        return chosen(work).outcome
    return nothing


async def _try(work: Work, number: int) -> Try | Outcome:
    """Ask once and measure the answer; an outcome means that there was nothing to measure."""
    work.move(RunStatus.DRAFTING)
    size = work.plan.search
    found = await drafted(work, number) if size is None else await searched(work, size)
    return found if isinstance(found, Outcome) else await _measured(work, found)


async def _measured(work: Work, document: FlowDocument) -> Try | Outcome:
    """Look at what a new prompt could do, run its side, and decide."""
    view = work.view
    capability = await asyncio.to_thread(compare, view.document, document, defaults(view.document.fields))
    work.move(RunStatus.PROPOSED, capability_diff=capability.to_json())
    work.report("capabilities", {"runId": work.run.id, **capability.to_json()})
    if not capability.is_safe and not view.policy.allow_capability_delta:
        added = ", ".join(capability.added[:5])
        outcome = Outcome(
            RunStatus.CAPABILITY_REJECTED,
            OutcomeCode.CAPABILITY_ADDED,
            f"The proposal could do more than before: {added}.",
        )
        return Try(document, capability, None, outcome)
    if (changed := await asyncio.to_thread(_changed, work)) is not None:
        keep_proposal(work, Try(document, capability, None, changed))
        return changed
    work.move(RunStatus.VERIFYING)
    results = await _side(work, document.data, "proposal")
    assert work.current is not None
    outcome = decide(work.current, results, work.run.evidence_ids)
    if (changed := await asyncio.to_thread(_changed, work)) is not None:
        outcome = changed
    return Try(document, capability, results, outcome)


async def _side(work: Work, data: bytes, name: str) -> SuiteOutcome:
    def told(progress: SuiteProgress) -> None:
        work.spend(1)
        work.report(
            "trial",
            {
                "runId": work.run.id, "side": name, "case": progress.case, "trial": progress.trial,
                "done": progress.done, "planned": progress.planned, "status": progress.status.value,
            },
        )  # fmt: skip

    before = work.run.actual_invocations
    outcome = await run_side(
        work.desk, work.view, data, access=work.access, scratch=work.desk.home.run(work.run.id) / "workspaces",
        watcher=work.children, report=told,
    )  # fmt: skip
    work.spend(outcome.invocations - (work.run.actual_invocations - before))
    return outcome


def _remember(work: Work, outcome: SuiteOutcome) -> None:
    """Keep the current side's results as the flow's last ones."""
    if not outcome.inputs_changed and len(outcome.cases) == outcome.planned:
        results = RecordedResults(work.receipt, outcome, iso(work.desk.clock.now()), True)
        work.desk.receipts.write(work.view.place.flow_id, results)


def receipt_now(desk: FlowDesk, plan: FlowPlan) -> Receipt:
    """Return what the proof would rest on, looked at anew. Blocking."""
    view = desk.look(plan.view.place.path, engine=plan.view.choice.engine if plan.view.choice.source == "cli" else None)
    return view.receipt(desk)


def _changed(work: Work) -> Outcome | None:
    """Return an outcome when what the proof rests on changed while the run was at work."""
    try:
        parts = changed_parts(work.receipt, receipt_now(work.desk, work.plan))
    except HoneyguideError as error:
        parts = (error.message,)
    if not parts:
        return None
    return Outcome(
        RunStatus.INCONCLUSIVE,
        OutcomeCode.INPUTS_CHANGED,
        f"What the proof rests on changed during the proposal generation: {', '.join(parts)}.",
    )
