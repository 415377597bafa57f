"""Make a proposal: measure the flow as it is, ask for a better prompt, look at what it could do, measure it, decide.

Nothing outside the run's own folder is written. Whatever ends it, the reported problems are open again unless a
proposal waits for a person; and the decision is written down.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback.items import FeedbackState
from honeyguide.flows.capabilities import CapabilityChange, compare
from honeyguide.flows.children import Children
from honeyguide.flows.deciding import Outcome, OutcomeCode, check_current, decide, decision_json
from honeyguide.flows.desk import FlowDesk, FlowView, ModelAccess
from honeyguide.flows.document import FlowDocument, parse_flow
from honeyguide.flows.engines.running import EngineCall
from honeyguide.flows.engines.table import MODEL_ENGINES
from honeyguide.flows.fingerprints import changed_parts
from honeyguide.flows.maintainer import (
    MAINTAINER_SYSTEM,
    MaintainerTask,
    RejectedTry,
    maintainer_message,
    read_body,
)
from honeyguide.flows.plans import FlowPlan
from honeyguide.flows.receipts import RecordedResults
from honeyguide.flows.rendering import defaults
from honeyguide.flows.runs import FlowRun, RunStatus
from honeyguide.flows.sides import run_side
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import BudgetExceeded, Conflict, HoneyguideError, Interrupted, PolicyRefused
from honeyguide.llm.protocol import ModelRole
from honeyguide.suites.runner import Attempt, SuiteProgress
from honeyguide.suites.trials import SuiteOutcome

Report = Callable[[str, Mapping[str, Any]], None]
MAX_REPLY_TOKENS = 16_384


@dataclass(slots=True)
class _Try:
    """One proposal of a run."""

    document: FlowDocument
    capability: CapabilityChange
    results: SuiteOutcome | None
    outcome: Outcome


@dataclass(slots=True)
class _Work:
    desk: FlowDesk
    plan: FlowPlan
    run: FlowRun
    report: Report
    receipt: Receipt
    access: ModelAccess | None = None
    rejected: list[RejectedTry] = field(default_factory=list)
    tries: list[_Try] = field(default_factory=list)
    current: SuiteOutcome | None = None

    @property
    def view(self) -> FlowView:
        return self.plan.view

    @property
    def children(self) -> Children:
        return Children(self.desk.home.run(self.run.id))

    def move(self, status: RunStatus, **changes: Any) -> None:
        self.run = self.desk.runs.move(self.run, status, **changes)
        self.report(
            "state",
            {"runId": self.run.id, "status": status.value, **({"reason": r} if (r := changes.get("reason")) else {})},
        )

    def spend(self, calls: int) -> None:
        self.run = self.desk.runs.move(
            self.run, self.run.status, actual_invocations=self.run.actual_invocations + calls
        )


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
        work = _Work(desk, plan, _begun(desk, plan), report, now)
        report("started", {"runId": work.run.id, "plannedInvocations": plan.planned})
        return await _carried_out(work)


async def _carried_out(work: _Work) -> FlowRun:
    desk = work.desk
    try:
        if desk.models is not None:
            work.access = desk.models.open(desk.home.run(work.run.id))
        outcome = await _outcome(work)
        _finish(work, outcome)
    except (asyncio.CancelledError, Interrupted):
        _finish(work, Outcome(RunStatus.INTERRUPTED, OutcomeCode.INTERRUPTED, "Stopped before it ended."))
        raise
    except BudgetExceeded as error:
        _finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.BUDGET, error.message))
        raise
    except HoneyguideError as error:
        _finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.FAILED, error.message))
        raise
    except BaseException as error:
        _finish(work, Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.FAILED, f"It failed: {type(error).__name__}."))
        raise
    finally:
        if work.access is not None:
            await work.access.close()
    return work.run


def _begun(desk: FlowDesk, plan: FlowPlan) -> FlowRun:
    view = plan.view
    assert view.suite is not None and plan.receipt is not None
    run = desk.runs.create(
        view.place.to_json(),
        suite_path=str(view.suite.path),
        current_hash=view.document.sha256,
        evidence_ids=tuple(item.id for item in plan.evidence),
        maintainer=plan.to_json()["maintainer"],
        planned_invocations=plan.planned,
        is_automatic=plan.is_automatic,
    )
    runs = desk.runs
    runs.artifact(run.id, "current.md", view.data, journaled=False)
    runs.artifact(run.id, "evidence.json", {"feedback": [item.to_json() for item in plan.evidence], "failedRuns": []})
    runs.artifact(run.id, "plan.json", {"runId": run.id, **plan.to_json(), "sourceWrite": "none until explicit apply"})
    runs.artifact(run.id, "receipt.json", plan.receipt.to_json())
    for item in plan.evidence:
        desk.feedback.move(item.id, FeedbackState.TARGETED, run_id=run.id)
    desk.on_change("flow:run-started", {"runId": run.id, "flow": str(view.place.path)})
    return run


async def _outcome(work: _Work) -> Outcome:
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
        return _chosen(work).outcome
    return nothing


async def _try(work: _Work, number: int) -> _Try | Outcome:
    """Ask once and measure the answer; an outcome means that there was nothing to measure."""
    work.move(RunStatus.DRAFTING)
    drafted = await _drafted(work, number)
    if isinstance(drafted, Outcome):
        return drafted
    capability = await asyncio.to_thread(compare, work.view.document, drafted, defaults(work.view.document.fields))
    work.move(RunStatus.PROPOSED, capability_diff=capability.to_json())
    work.report("capabilities", {"runId": work.run.id, **capability.to_json()})
    if not capability.is_safe and not work.view.policy.allow_capability_delta:
        added = ", ".join(capability.added[:5])
        outcome = Outcome(
            RunStatus.CAPABILITY_REJECTED,
            OutcomeCode.CAPABILITY_ADDED,
            f"The proposal could do more than before: {added}.",
        )
        return _Try(drafted, capability, None, outcome)
    if (changed := await asyncio.to_thread(_changed, work)) is not None:
        _keep_proposal(work, _Try(drafted, capability, None, changed))
        return changed
    work.move(RunStatus.VERIFYING)
    results = await _side(work, drafted.data, "proposal")
    assert work.current is not None
    outcome = decide(work.current, results, work.run.evidence_ids)
    if (changed := await asyncio.to_thread(_changed, work)) is not None:
        outcome = changed
    return _Try(drafted, capability, results, outcome)


async def _drafted(work: _Work, number: int) -> FlowDocument | Outcome:
    view = work.view
    cases = view.suite.cases if view.suite is not None else None
    task = MaintainerTask(
        view.place.path.stem, view.document, work.plan.evidence, cases or (), work.current, tuple(work.rejected), number
    )
    attempt = await _asked(work, maintainer_message(task), number)
    work.spend(1)
    if attempt.timed_out or attempt.exit_code != 0:
        why = "timed out" if attempt.timed_out else f"exited {attempt.exit_code}"
        said = " ".join((attempt.stderr or attempt.stdout).split())[:400]
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.MAINTAINER_FAILED,
            work.desk.redact(f"The maintainer {view.maintainer_engine} {why}: {said}".rstrip(": ") + "."),
        )
    body, problem = read_body(attempt.stdout, current=view.document.body)
    if body is None:
        return Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.REPLY_INVALID, f"The maintainer gave no prompt: {problem}.")
    document = view.document.with_body(body)
    if document.data == view.data:
        return Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.IDENTICAL, "The maintainer gave the same prompt again.")
    again = parse_flow(document.data)
    if again.prefix != view.document.prefix or again.fields != view.document.fields:
        return Outcome(
            RunStatus.REJECTED, OutcomeCode.FRONTMATTER_CHANGED, "The proposal would change the flow's frontmatter."
        )
    return document


async def _asked(work: _Work, message: str, number: int) -> Attempt:
    view, name = work.view, work.view.maintainer_engine
    engine = work.desk.engine(
        name, view, access=work.access, model=view.maintainer_model, role=ModelRole.MAINTAINER, watcher=work.children
    )
    work.report("maintainer", {"runId": work.run.id, "engine": name, "number": number})
    return await engine.run(
        EngineCall(
            prompt=message,
            message=message if name in MODEL_ENGINES else None,
            system=MAINTAINER_SYSTEM,
            cwd=view.place.path.parent,
            timeout_ms=view.policy.timeout_ms,
            isolated=view.policy.isolated,
            model=view.maintainer_model if name not in MODEL_ENGINES else None,
            role=ModelRole.MAINTAINER,
            repetition=number - 1,
            max_tokens=MAX_REPLY_TOKENS,
        )
    )


async def _side(work: _Work, data: bytes, name: str) -> SuiteOutcome:
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


def _remember(work: _Work, outcome: SuiteOutcome) -> None:
    """Keep the current side's results as the flow's last ones."""
    if not outcome.inputs_changed and len(outcome.cases) == outcome.planned:
        results = RecordedResults(work.receipt, outcome, iso(work.desk.clock.now()), True)
        work.desk.receipts.write(work.view.place.flow_id, results)


def receipt_now(desk: FlowDesk, plan: FlowPlan) -> Receipt:
    """Return what the proof would rest on, looked at anew. Blocking."""
    view = desk.look(plan.view.place.path, engine=plan.view.choice.engine if plan.view.choice.source == "cli" else None)
    return view.receipt(desk)


def _changed(work: _Work) -> Outcome | None:
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


_RANK = (RunStatus.VERIFIED_IMPROVEMENT, RunStatus.REGRESSION_SAFE, RunStatus.REJECTED, RunStatus.INCONCLUSIVE)


def _chosen(work: _Work) -> _Try:
    best = min(work.tries, key=lambda t: _RANK.index(t.outcome.status) if t.outcome.status in _RANK else len(_RANK))
    _keep_proposal(work, best)
    if len(work.tries) > 1:
        for number, tried in enumerate(work.tries, start=1):
            work.desk.runs.artifact(work.run.id, f"candidate-{number}.md", tried.document.data, journaled=False)
    return best


def _keep_proposal(work: _Work, tried: _Try) -> None:
    runs, run_id = work.desk.runs, work.run.id
    runs.artifact(run_id, "proposal.md", tried.document.data, journaled=False)
    runs.artifact(
        run_id, "proposal.diff", unified_diff(work.view.document.text, tried.document.text).encode(), journaled=False
    )
    runs.artifact(run_id, "capability-diff.json", tried.capability.to_json())
    if tried.results is not None:
        runs.artifact(run_id, "proposal-results.json", tried.results.to_json())
    work.run = runs.move(
        work.run, work.run.status, proposal_hash=tried.document.sha256, capability_diff=tried.capability.to_json()
    )


def _finish(work: _Work, outcome: Outcome) -> None:
    desk = work.desk
    proposal = next((t.results for t in work.tries if t.outcome is outcome), None)
    tries = [
        {"number": n, "status": t.outcome.status.value, "reasonCode": t.outcome.code.value, "reason": t.outcome.reason}
        for n, t in enumerate(work.tries, start=1)
    ]
    capability = work.run.capability_diff
    decision = decision_json(
        outcome,
        work.current,
        proposal,
        dict(capability) if capability else None,
        tries if len(tries) > 1 else (),
    )
    desk.runs.artifact(work.run.id, "decision.json", decision)
    work.run = desk.runs.move(
        work.run, outcome.status, reason=outcome.reason, reason_code=outcome.code.value,
        target_evidence_ids=outcome.improved, outcome=outcome.status.value,
    )  # fmt: skip
    if not outcome.keeps_evidence_targeted:
        reopen(desk, work.run)
    work.report(
        "result",
        {"runId": work.run.id, "status": outcome.status.value, "reason": outcome.reason, "sourceChanged": False},
    )
    desk.on_change("flow:run-finished", {"runId": work.run.id, "status": outcome.status.value})


def reopen(desk: FlowDesk, run: FlowRun) -> None:
    """Open the problems again that this run holds; those decided otherwise meanwhile are left alone."""
    contents = desk.feedback.read()
    for feedback_id in run.evidence_ids:
        item = contents.get(feedback_id)
        if item is not None and item.state is FeedbackState.TARGETED and item.run_id == run.id:
            desk.feedback.move(feedback_id, FeedbackState.OPEN, run_id=run.id)


def unified_diff(before: str, after: str) -> str:
    """Return the difference as a unified diff, without any path."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), "current.md", "proposal.md"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
