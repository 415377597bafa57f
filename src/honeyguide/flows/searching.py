"""The instruction search as the proposer: several prompts, tried on the suite's cases, in place of a single one.

It is the search of ``evolution``; what is a flow's own here is who scores (the flow's engine on the suite's cases, one
trial each, in copies of the repository), who proposes (the maintainer), and what is refused before it is run (anything
that could do more than before). What it finds is then proved like any other proposal, on trials of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Final

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.execution import EvaluationJob
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.instruction_search import GenerationalSearch, InstructionSettings
from honeyguide.evolution.mutation import MutationTask
from honeyguide.evolution.mutator import Proposal
from honeyguide.evolution.scoring import ScoreLedger, TooManyUnscored
from honeyguide.evolution.search import InstructionResult, InstructionTask, SearchEvent, SearchPorts
from honeyguide.flows.capabilities import compare
from honeyguide.flows.deciding import Outcome, OutcomeCode
from honeyguide.flows.document import FlowDocument, parse_flow
from honeyguide.flows.drafting import asked, body_of
from honeyguide.flows.maintainer import expectation, keep_in, limits_for, with_problems
from honeyguide.flows.proposal_work import Work
from honeyguide.flows.rendering import defaults
from honeyguide.flows.runs import RunStatus
from honeyguide.flows.search_size import SearchSize
from honeyguide.flows.sides import run_side
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.suites.runner import SuiteProgress
from honeyguide.suites.trials import CaseResult, SuiteOutcome, TrialStatus

FIRST_SAMPLE: Final = 1000
"""Trials of the search are other samples of a model's answers than those of the proof."""
_CAPABILITIES: Final = "capabilities"


async def searched(work: Work, size: SearchSize) -> FlowDocument | Outcome:
    """Return the best prompt that was found; an outcome means that there is nothing to measure.

    Raises:
        BudgetExceeded, Interrupted: as every model call.
    """
    assert work.current is not None
    examples = tuple(_example(work, result) for result in work.current.cases)
    body = work.view.document.body
    ledger = ScoreLedger(_FlowExecutor(work))
    for example, result in zip(examples, work.current.cases, strict=True):
        ledger.record(body, _evaluation(work, example.id, result))
    many = len(examples)
    settings = InstructionSettings(
        population=size.population, generations=size.generations, micro=many, mini=many, anchor=many
    )
    task = InstructionTask(
        TargetRef(TargetKind.FLOW, work.view.place.path.stem), body, body, examples, examples,
        limits=limits_for(body), keep=keep_in(body),
    )  # fmt: skip
    mutator = _Maintainer(work)
    ports = SearchPorts(
        ledger=ledger, mutator=mutator, first_failed_gate=lambda text: _refused(work, text),
        report=lambda event: _tell(work, event), width=1,
    )  # fmt: skip
    try:
        found = await GenerationalSearch(settings).search(task, ports)
    except TooManyUnscored as error:
        return Outcome(
            RunStatus.INCONCLUSIVE, OutcomeCode.PROPOSAL_INCONCLUSIVE, f"The search could not score: {error}."
        )
    _keep(work, found)
    best = next((f.candidate for f in found.finalists if f.candidate.deployed.rstrip() != body.rstrip()), None)
    if best is not None and found.winner.candidate.id == best.id:
        return work.view.document.with_body(best.deployed)
    return _nothing(work, found)


@dataclass(slots=True)
class _FlowExecutor:
    """An ``EvaluationExecutor``: every prompt is run once on the whole suite, one prompt at a time."""

    work: Work
    _sides: dict[str, asyncio.Task[SuiteOutcome]] = field(default_factory=dict)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    def submit(self, job: EvaluationJob) -> asyncio.Future[Evaluation]:
        """As ``EvaluationExecutor.submit``."""
        if job.text not in self._sides:
            self._sides[job.text] = asyncio.ensure_future(self._side(job.text))
        return asyncio.ensure_future(self._case(self._sides[job.text], job.example))

    async def as_completed(self, futures: Iterable[asyncio.Future[Evaluation]]) -> AsyncIterator[Evaluation]:
        """As ``EvaluationExecutor.as_completed``."""
        for future in asyncio.as_completed(list(futures)):
            yield await future

    async def cancel(self, futures: Iterable[asyncio.Future[Evaluation]]) -> None:
        """As ``EvaluationExecutor.cancel``."""
        waiting = [future for future in futures if not future.done()]
        sides = list(self._sides.values()) if waiting else []
        for future in waiting:
            future.cancel()
        for side in sides:
            side.cancel()
        await asyncio.gather(*waiting, *sides, return_exceptions=True)

    async def _side(self, text: str) -> SuiteOutcome:
        work = self.work

        def told(progress: SuiteProgress) -> None:
            work.spend(1)

        async with self._one:
            return await run_side(
                work.desk, work.view, work.view.document.with_body(text).data, access=work.access,
                scratch=work.desk.home.run(work.run.id) / "workspaces", watcher=work.children, once=True,
                first_sample=FIRST_SAMPLE, report=told,
            )  # fmt: skip

    async def _case(self, side: asyncio.Task[SuiteOutcome], example: Example) -> Evaluation:
        outcome = await asyncio.shield(side)
        result = outcome.named(str(example.metadata["case"]))
        if result is None:
            return Evaluation(example.id, "", Verdict(None, unscored_reason="not-run"))
        return _evaluation(self.work, example.id, result)


@dataclass(slots=True)
class _Maintainer:
    """A ``Mutator``: the flow's maintainer."""

    work: Work
    number: int = 0

    async def propose(self, task: MutationTask, repetition: int = 0) -> Proposal:
        """As ``Mutator.propose``."""
        self.number += 1
        attempt = await asked(self.work, with_problems(task, self.work.plan.evidence), self.number)
        self.work.spend(1)
        if attempt.timed_out or attempt.exit_code != 0:
            return Proposal(None, f"mutator-failed: {'timed out' if attempt.timed_out else attempt.exit_code}")
        body, problem = body_of(attempt, task.current)
        return Proposal(body, problem)


def _refused(work: Work, text: str) -> GateResult | None:
    document = work.view.document
    try:
        again = parse_flow(document.with_body(text).data)
        is_frozen = again.prefix == document.prefix and again.fields == document.fields
        change = compare(document, again, defaults(document.fields))
    except HoneyguideError as error:
        return GateResult("frontmatter", "fail", error.message)
    if not is_frozen:
        return GateResult("frontmatter", "fail", "It would change the flow's frontmatter.")
    if change.is_safe or work.view.policy.allow_capability_delta:
        return None
    added = ", ".join(change.added[:5])
    return GateResult(_CAPABILITIES, "fail", f"It could do more than before: {added}.", {"added": list(change.added)})


def _nothing(work: Work, found: InstructionResult) -> Outcome:
    """Say why no prompt of the search is worth proving."""
    children = [c for c in found.history if c.generation > 0]
    refused = [c for c in children if c.refused is not None]
    if refused and not any(c.is_worth_scoring for c in children):
        gate = refused[0].refused
        assert gate is not None
        if gate.gate == _CAPABILITIES:
            added = {"added": list(gate.detail["added"]), "removed": [], "safe": False}
            work.move(RunStatus.PROPOSED, capability_diff=added)
            return Outcome(RunStatus.CAPABILITY_REJECTED, OutcomeCode.CAPABILITY_ADDED, gate.reason)
        return Outcome(RunStatus.REJECTED, OutcomeCode.FRONTMATTER_CHANGED, gate.reason)
    if children and all(c.problem for c in children):
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.MAINTAINER_FAILED,
            f"The maintainer gave no prompt: {children[0].problem}.",
        )
    tried = sum(c.is_worth_scoring for c in children)
    return Outcome(
        RunStatus.INCONCLUSIVE, OutcomeCode.NOTHING_BETTER, f"None of {tried} tried prompt(s) did better on the suite."
    )


def _keep(work: Work, found: InstructionResult) -> None:
    data = {
        "stopReason": found.stop_reason,
        "generations": [record.to_json() for record in found.generations],
        "finalists": [{"id": f.candidate.id, "scores": f.means.to_json()} for f in found.finalists],
    }
    work.desk.runs.artifact(work.run.id, "search.json", data)


def _tell(work: Work, event: SearchEvent) -> None:
    work.report("search", {"runId": work.run.id, "message": event.message, **event.to_json()})


def _example(work: Work, result: CaseResult) -> Example:
    cases = (work.view.suite.cases if work.view.suite is not None else None) or ()
    case = next((one for one in cases if one.name == result.case.name), None)
    given = " ".join(text for text in (case.input, case.stdin, case.prompt) if text) if case else ""
    return Example(
        f"case-{result.case.id}", given or "(nothing)", expectation(case) or result.case.name, ExpectationRole.CHECKS,
        conversation=result.case.name, metadata={"case": result.case.name},
    )  # fmt: skip


def _evaluation(work: Work, example_id: str, result: CaseResult) -> Evaluation:
    """Return a case's result as a graded answer; a failed one says what was reported and what the checks said."""
    output = next((t.output for t in result.trials if t.output), "")
    if result.status is TrialStatus.INCONCLUSIVE:
        return Evaluation(example_id, output, Verdict(None, unscored_reason=result.reason or "inconclusive"))
    share = 1.0 if result.status is TrialStatus.PASS else 0.0
    score = JudgeScore(share, share, share, share, 1.0, share)
    reported = [item.message for item in work.plan.evidence if item.id in result.case.evidence] if not share else []
    return Evaluation(example_id, output, Verdict(score, feedback=" ".join([*reported, result.reason]).strip()))
