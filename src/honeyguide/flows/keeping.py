"""What a proposal leaves in its folder: how it began, what was proposed, and how it ended."""

from __future__ import annotations

import difflib

from honeyguide.feedback.items import FeedbackState
from honeyguide.flows.deciding import Outcome, decision_json
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.plans import FlowPlan
from honeyguide.flows.proposal_work import Try, Work
from honeyguide.flows.runs import FlowRun, RunStatus


def begun(desk: FlowDesk, plan: FlowPlan) -> FlowRun:
    """Make the run's folder with what it begins with; its problems are targeted."""
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


_RANK = (RunStatus.VERIFIED_IMPROVEMENT, RunStatus.REGRESSION_SAFE, RunStatus.REJECTED, RunStatus.INCONCLUSIVE)


def chosen(work: Work) -> Try:
    """Keep the best of all tries as the proposal, and return it."""
    best = min(work.tries, key=lambda t: _RANK.index(t.outcome.status) if t.outcome.status in _RANK else len(_RANK))
    keep_proposal(work, best)
    if len(work.tries) > 1:
        for number, tried in enumerate(work.tries, start=1):
            work.desk.runs.artifact(work.run.id, f"candidate-{number}.md", tried.document.data, journaled=False)
    return best


def keep_proposal(work: Work, tried: Try) -> None:
    """Write the proposal, its difference, its capabilities and its results, each once."""
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


def finish(work: Work, outcome: Outcome) -> None:
    """Write the decision; open the problems again unless a proposal waits for a person."""
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
