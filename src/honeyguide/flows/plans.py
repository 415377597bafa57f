"""A flow's plan: the decision, the calls, the price, who is asked and what would be written. Free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback.items import FeedbackItem, FeedbackState, FeedbackType
from honeyguide.flows.desk import FlowDesk, FlowView
from honeyguide.flows.engines.table import FREE_ENGINES, MODEL_ENGINES
from honeyguide.flows.planning import Decision, PlanFacts, ReasonCode, decide_plan, planned_invocations
from honeyguide.flows.receipts import RecordedResults, SuiteVerdict, allows_automatic_work, verdict_of
from honeyguide.flows.search_size import SearchSize
from honeyguide.flows.suites_of_flows import FlowSuite, default_suite_path, unused_inputs
from honeyguide.kernel.clock import parse_iso
from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable
from honeyguide.llm.protocol import ModelRole

WRITES: Final = "a private folder in the workspace; the flow stays as it is until you apply"
ACCESS_NOTICE: Final = (
    "The suite and the engine run with your own rights: they can read and write your files, use the network and your "
    "sign-ins."
)


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """What a proposal would do.

    Attributes:
        planned: the most executions; ``least`` the fewest that are paid.
        usd: lowest and highest price in US dollars; ``None`` where nobody knows.
        search: the search that stands in for the single proposal; its executions are in ``planned``.
        judge_calls: the most calls of a judge, for cases with a rubric; beside the executions.
        receipt: what a verification would rest on now; ``None`` with the reason in ``receipt_problem``.
    """

    view: FlowView
    decision: Decision
    evidence: tuple[FeedbackItem, ...]
    eval_invocations: int
    planned: int
    candidates: int
    is_automatic: bool
    receipt: Receipt | None
    receipt_problem: str
    results: RecordedResults | None
    verdict: tuple[SuiteVerdict, bool, str]
    usd: tuple[float | None, float | None]
    rough_runs: int = 0
    warnings: tuple[str, ...] = ()
    search: SearchSize | None = None
    judge_calls: int = 0
    judge_is_free: bool = True

    @property
    def ready(self) -> bool:
        """Whether a proposal may be made."""
        return self.decision.evolve

    @property
    def is_free(self) -> bool:
        """Whether nothing costs money: both engines are the practice model, and no paid judge is asked."""
        engines = {self.view.choice.engine, self.view.maintainer_engine}
        return engines <= set(FREE_ENGINES) and (self.judge_calls == 0 or self.judge_is_free)

    @property
    def covered(self) -> tuple[str, ...]:
        """Problems that a case reproduces."""
        cases = self.view.suite.plan.evidence if self.view.suite else frozenset()
        return tuple(item.id for item in self.evidence if item.id in cases)

    @property
    def _proposing(self) -> list[dict[str, Any]]:
        cases = len(self.view.suite.plan.cases) if self.view.suite else 0
        asked = self.candidates if self.search is None else self.search.requests
        tried = [] if self.search is None else [{"name": "search", "calls": asked * cases}]
        proposals = {"name": "proposal", "calls": self.eval_invocations * self.candidates}
        return [{"name": "maintainer", "calls": asked}, *tried, proposals]

    @property
    def least(self) -> int:
        """The fewest executions: the current side alone."""
        return self.eval_invocations

    def to_json(self) -> dict[str, Any]:
        """Return the plan in the shape of every plan, with what is special to flows beside it."""
        view, suite = self.view, self.view.suite
        covered = self.covered
        low, high = self.usd
        return {
            "ready": self.ready,
            "reasons": [{"code": self.decision.code.value, "message": self.decision.reason}],
            "calls": {
                "low": self.least if self.ready else 0,
                "high": self.planned + self.judge_calls if self.ready else 0,
            },
            "usd": {"low": low, "high": high},
            "tokens": {"low": None, "high": None},
            "stages": [
                {"name": "current", "calls": self.eval_invocations},
                *self._proposing,
                *([{"name": "judge", "calls": self.judge_calls}] if self.judge_calls else []),
            ],
            "decision": self.decision.to_json(),
            "flow": view.place.to_json() | {"sha256": view.document.sha256},
            "suite": str(suite.path if suite else default_suite_path(view.place.path)),
            "cases": [case.to_json() for case in suite.plan.cases] if suite else [],
            "evalInvocations": self.eval_invocations,
            "plannedInvocations": self.planned,
            "engine": {"name": view.choice.engine, "source": view.choice.source, "model": view.model},
            "maintainer": {
                "engine": view.maintainer_engine,
                "model": view.maintainer_model,
                "source": view.maintainer_source,
                "isolated": view.policy.isolated,
            },
            "evidenceIds": [item.id for item in self.evidence],
            "coveredEvidenceIds": list(covered),
            "uncoveredEvidenceIds": [item.id for item in self.evidence if item.id not in covered],
            "roughRuns": self.rough_runs,
            "automatic": self.is_automatic,
            "policy": view.policy.to_json(),
            "writes": WRITES,
            "notice": ACCESS_NOTICE,
            "verification": {
                "verdict": self.verdict[0].value,
                "current": self.verdict[1],
                "reason": self.verdict[2],
                "receipt": self.receipt.to_json() if self.receipt else None,
                "problem": self.receipt_problem or None,
            },
            "warnings": list(self.warnings),
        }


def make_plan(
    desk: FlowDesk,
    path: Path,
    *,
    engine: str | None = None,
    is_automatic: bool = False,
    only: Sequence[str] | None = None,
    candidates: int = 1,
    search: SearchSize | None = None,
) -> FlowPlan:
    """Return the plan of a proposal. Blocking: call it in a worker thread.

    Args:
        only: ids of the problems to work on; ``None`` for all that may begin work.
        candidates: how many proposals may be tried, one after the other.
        search: a search in place of the single proposal.

    Raises:
        NotFound: no such flow, or a named problem is not one of its open ones.
        InvalidInput: frontmatter, policy or engine make no sense.
    """
    if search is not None and candidates != 1:
        raise InvalidInput("Use either several candidates or a search.")
    if candidates < 1 or candidates > 10:
        raise InvalidInput(f"{candidates} candidates cannot be tried.", hint="Use 1 to 10.")
    view = desk.look(path, engine=engine)
    suite = view.suite
    evidence = desk.evidence(view, only=only)
    if only and (missing := set(only) - {item.id for item in evidence}):
        raise NotFound(
            f"{sorted(missing)[0]} is no open feedback of this flow.", hint="See 'honeyguide feedback list'."
        )
    receipt, receipt_problem = _receipt(desk, view)
    results, results_problem = _results(desk, view)
    eval_invocations = suite.plan.invocations if suite else 0
    planned = planned_invocations(eval_invocations, candidates)
    if search is not None:
        planned = 2 * eval_invocations + search.calls(len(suite.plan.cases) if suite else 0)
    ids = [item.id for item in evidence]
    runs_today, cooldown = _recent(desk, view)
    facts = PlanFacts(
        suite_exists=suite is not None,
        is_untrusted=view.is_from_registry,
        suite_problem=suite.problem if suite else None,
        drafts=suite.plan.drafts if suite else (),
        repeated_names=suite.plan.repeated_names if suite else (),
        unused_inputs=unused_inputs(view.document, suite, view.choice.engine) if suite else (),
        is_workflow=view.document.is_workflow,
        policy=view.policy,
        is_automatic=is_automatic,
        verification_is_current=receipt is not None and allows_automatic_work(results, receipt, ids),
        actionable=len(evidence),
        uncovered=suite.plan.uncovered(ids) if suite else (),
        rough_runs=_rough(desk, view),
        planned=planned,
        runs_today=runs_today,
        cooldown_left_ms=cooldown,
    )
    verdict = verdict_of(
        suite_exists=suite is not None,
        is_inspectable=suite is None or suite.problem is None,
        has_drafts=bool(facts.drafts),
        results=results,
        current=receipt.digest if receipt else None,
    )
    rubrics = sum(case.plan.repetitions for case in (suite.cases or ()) if case.rubric) if suite else 0
    judge_calls = rubrics * (1 + candidates)
    if search is not None:
        judge_calls += search.requests * sum(1 for case in (suite.cases or ()) if case.rubric) if suite else 0
    judge_price = _judge_price(desk, view) if judge_calls else 0.0
    return FlowPlan(
        view=view,
        decision=decide_plan(facts),
        evidence=evidence,
        eval_invocations=eval_invocations,
        planned=planned,
        candidates=candidates,
        is_automatic=is_automatic,
        search=search,
        receipt=receipt,
        receipt_problem=receipt_problem,
        results=results,
        verdict=verdict,
        usd=_with_judge(
            _price(desk, view, *_executions(suite, eval_invocations, candidates, search)), judge_price, judge_calls
        ),
        judge_calls=judge_calls,
        judge_is_free=judge_price == 0.0,
        rough_runs=facts.rough_runs,
        warnings=(*view.config.problems, *view.choice.notes, *([results_problem] if results_problem else [])),
    )


def _receipt(desk: FlowDesk, view: FlowView) -> tuple[Receipt | None, str]:
    if view.suite is None or view.suite.problem is not None:
        return None, "there is no suite to bind" if view.suite is None else view.suite.problem[1]  # type: ignore[index]
    try:
        return view.receipt(desk), ""
    except (InvalidInput, Unreadable) as error:
        return None, error.message


def _results(desk: FlowDesk, view: FlowView) -> tuple[RecordedResults | None, str]:
    try:
        return desk.receipts.read(view.place.flow_id), ""
    except Unreadable as error:
        return None, error.message


def _recent(desk: FlowDesk, view: FlowView) -> tuple[int, int]:
    """Return how many proposals were begun within a day, and how long the newest one still has to cool down."""
    runs, _ = desk.runs.all(view.place.flow_id)
    runs = [run for run in runs if not run.is_imported]
    now = desk.clock.now()
    today = sum(now - parse_iso(run.created_at) < timedelta(days=1) for run in runs)
    if not runs:
        return today, 0
    since = (now - parse_iso(runs[0].created_at)).total_seconds() * 1000
    return today, max(0, int(view.policy.cooldown_ms - since))


def _rough(desk: FlowDesk, view: FlowView) -> int:
    return sum(
        item.type is FeedbackType.RUN_FAILURE and item.failure_class is None and item.state is FeedbackState.OPEN
        for item in desk.feedback.read().items
        if item.name == view.place.flow_id
    )


def _executions(
    suite: FlowSuite | None, eval_invocations: int, candidates: int, search: SearchSize | None
) -> tuple[int, int]:
    """Return how often the flow and the maintainer are asked at most."""
    if search is None:
        return eval_invocations * (1 + candidates), candidates
    return 2 * eval_invocations + search.requests * (len(suite.plan.cases) if suite else 0), search.requests


def _price(desk: FlowDesk, view: FlowView, executions: int, requests: int) -> tuple[float | None, float | None]:
    """Return the range of the price. An agent program is paid in its own way, so nobody here knows."""
    each: dict[str, float | None] = {}
    length = len(view.document.body) + 4000
    for role, name, model in (
        ("flow", view.choice.engine, view.model),
        ("maintainer", view.maintainer_engine, view.maintainer_model),
    ):
        if name in FREE_ENGINES:
            each[role] = 0.0
        elif name in MODEL_ENGINES and desk.models is not None:
            kind = ModelRole.EXECUTOR if role == "flow" else ModelRole.MAINTAINER
            each[role] = desk.models.price(desk.model_ref(name, model, kind), length)
        else:
            each[role] = None
    flow, maintainer = each["flow"], each["maintainer"]
    low = 0.0 if flow == 0.0 else None
    if flow is None or maintainer is None:
        return low, None
    return 0.0, flow * executions + maintainer * requests


def _judge_price(desk: FlowDesk, view: FlowView) -> float | None:
    if desk.models is None:
        return 0.0  # no judge can be asked, so such cases stay inconclusive
    return desk.models.price(desk.models.ref(None, ModelRole.JUDGE), len(view.document.body) + 8000)


def _with_judge(
    usd: tuple[float | None, float | None], each: float | None, calls: int
) -> tuple[float | None, float | None]:
    low, high = usd
    return low, None if high is None or each is None else high + each * calls


def plan_events(plan: FlowPlan) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """Return the events that ``--events`` prints for a plan."""
    data = plan.to_json()
    events: list[tuple[str, Mapping[str, Any]]] = []
    if plan.decision.code not in (ReasonCode.NO_SUITE, ReasonCode.FLOW_NOT_FOUND):
        events.append(("verification", data["verification"]))
    if plan.ready:
        events.append(("cost", {key: data[key] for key in ("calls", "usd", "plannedInvocations", "maintainer")}))
        events.append(("plan", data))
    return events
