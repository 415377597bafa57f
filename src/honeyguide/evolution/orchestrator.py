"""One attempt to improve one target, from trigger to proposal. Pure: it writes no file and deploys nothing.

Phases, outcomes and their spelling: first seed, section 3; from finding to outcome: ``decision``. Every attempt is
reported to the sink, whatever came of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evals.examples import Dataset, Example
from honeyguide.evals.findings import Finding
from honeyguide.evals.verification import VerificationRecord
from honeyguide.evolution.ablation import Ablation, ablate, ablation_calls, worth_of
from honeyguide.evolution.artifacts import Trial, artifacts_of, evidence_of
from honeyguide.evolution.briefing import request_facts, rules_of, split_counts
from honeyguide.evolution.candidates import Measurement, paired
from honeyguide.evolution.compose import ComposeResult, ComposeTask
from honeyguide.evolution.decision import AttemptOutcome, Decision, decide, too_small, with_suite
from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.execution import LoopExecutor
from honeyguide.evolution.gates import GateScores, first_failure
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.gating import judge_text
from honeyguide.evolution.metering import MeteredClient, Spend, metered_judge
from honeyguide.evolution.mutator import ModelMutator
from honeyguide.evolution.plan import development_examples, verification_calls
from honeyguide.evolution.proof import Proof
from honeyguide.evolution.requests import (
    EvolutionRequest,
    OrchestratorResult,
    Phase,
    Progress,
    RunPorts,
    RunRecord,
    stored_results,
)
from honeyguide.evolution.scoring import ScoreLedger, TooManyUnscored
from honeyguide.evolution.search import SearchEvent, SearchPorts
from honeyguide.evolution.suite_gate import with_suite_gate
from honeyguide.kernel.errors import BudgetExceeded, HoneyguideError, Interrupted
from honeyguide.llm.cancel import Cancellation
from honeyguide.suites.proof import SuiteRecord


async def run_once(
    request: EvolutionRequest,
    ports: RunPorts,
    cancel: Cancellation | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> OrchestratorResult:
    """Run one attempt and return what came of it.

    A cancelled run, an exhausted budget and an unusable judge end as ``aborted`` with the reason (and, for the first
    two, the error for the exit code); they are results, not exceptions. Other errors are raised after the attempt was
    reported.
    """
    return await _Run(request, ports, cancel or Cancellation(), progress or (lambda event: None)).run()


@dataclass(slots=True)
class _Run:
    request: EvolutionRequest
    ports: RunPorts
    cancel: Cancellation
    progress: Callable[[Progress], None]
    log: DecisionLog = field(default_factory=DecisionLog)
    spend: Spend = field(default_factory=Spend)
    dataset: Dataset | None = None
    composed: ComposeResult | None = None
    trials: list[Trial] = field(default_factory=list)
    ablation: dict[str, Any] | None = None
    suite: SuiteRecord | None = None

    async def run(self) -> OrchestratorResult:
        try:
            result = await self._attempt()
        except (BudgetExceeded, Interrupted) as error:
            result = self._result(AttemptOutcome.ABORTED, error.message, error=error)
        except TooManyUnscored as error:
            result = self._result(AttemptOutcome.ABORTED, f"inconclusive: judge not usable ({error})")
        except HoneyguideError as error:
            await self.ports.sink.close_attempt(self._result(AttemptOutcome.ABORTED, error.message, error=error))
            raise
        except asyncio.CancelledError:
            stopped = Interrupted("The run was stopped.", hint="Resume it to go on; what was paid for is kept.")
            await asyncio.shield(
                self.ports.sink.close_attempt(self._result(AttemptOutcome.ABORTED, stopped.message, error=stopped))
            )
            raise
        if result.outcome not in (AttemptOutcome.PROPOSED, AttemptOutcome.SKIPPED_GATES):
            self._say(Phase.SKIPPED, result.reason)
        await self.ports.sink.close_attempt(result)
        self._say(Phase.DONE, result.outcome.value)
        return result

    async def _attempt(self) -> OrchestratorResult:
        request = self.request
        self.cancel.check()
        self.log.add("request", **request_facts(request))
        if request.trigger is not None:
            self._say(Phase.TRIGGER_CHECK, "Looking for enough new evidence.")
            if request.trigger.eligible_traces < request.trigger.min_traces:
                seen, wanted = request.trigger.eligible_traces, request.trigger.min_traces
                return self._result(
                    AttemptOutcome.SKIPPED_TRIGGER, f"{seen} traces of the {wanted} that start a run by itself."
                )
        self._say(Phase.DATASET, "Collecting examples.")
        self.dataset = dataset = await self.ports.dataset()
        self.cancel.check()
        self.log.add("dataset", sha256=dataset.dataset_hash, examples=split_counts(dataset), dropped=dataset.dropped)
        train, validation = development_examples(dataset)
        if not train and not (request.candidate is not None and dataset.holdout):
            return self._result(AttemptOutcome.SKIPPED_TRIGGER, "No trace of this target became an example.")
        self._say(Phase.COMPOSE, "Looking for a better text.")
        ledger = ScoreLedger(
            LoopExecutor(metered_judge(self.ports.judge, self.cancel, self.spend), request.concurrency)
        )
        if request.candidate is not None:
            return await self._prove_given(request.candidate, validation, ledger)
        self.composed = await self._search(train, validation, ledger)
        return await self._prove_found(self.composed, validation, ledger)

    async def _search(
        self, train: tuple[Example, ...], validation: tuple[Example, ...], ledger: ScoreLedger
    ) -> ComposeResult:
        request = self.request
        search = request.settings.searches(self.ports.search)
        mutator = ModelMutator(MeteredClient(self.ports.mutator, self.cancel, self.spend), self.ports.mutator_model)
        rules = rules_of(request)
        task = ComposeTask(
            target=request.target,
            live=request.live,
            train=train,
            validation=validation,
            schema=request.schema,
            limits=rules[0].limits,
            keep=rules[0].keep,
            style=request.style,
            seed=request.seed,
            whole=request.whole,
            rules=rules if request.texts else (),
            about=request.about,
        )
        return await search.search(
            task,
            SearchPorts(
                ledger=ledger,
                mutator=mutator,
                first_failed_gate=lambda text: first_failure(self._gates(text, None)),
                log=self.log,
                report=self._report,
                may_spend=self._may_spend,
                width=request.concurrency,
            ),
        )

    async def _prove_found(
        self, composed: ComposeResult, validation: tuple[Example, ...], ledger: ScoreLedger
    ) -> OrchestratorResult:
        """Gates for each finalist in order of score until one passes; then the holdout, for that one alone."""
        request = self.request
        finalists = [f for f in composed.finalists if f.candidate.deployed != request.live]
        self._say(Phase.GATES, "Checking the rules.")
        if not finalists:
            return await self._nothing_new(composed)
        why = ""
        for finalist in finalists:
            delta = composed.delta(finalist)
            pairs = composed.instruction_stage.development_pairs(finalist)
            differences = [after - before for before, after in pairs]
            too_little = too_small(delta, request.min_delta, differences, allow_safe=request.allow_safe)
            if too_little and not self._may_show_red_green:
                self.log.add("too-small", candidate=finalist.candidate.id, delta=delta, n=len(differences))
                why = why or too_little
                continue
            scores = GateScores(composed.instruction_stage.live_means.overall, finalist.means.overall)
            trial = self._try(finalist.candidate.id, finalist.candidate.deployed, delta, scores)
            if first_failure(trial.gates) is None:
                live = composed.instruction_stage.live
                examples = [example for example in validation if example.id in live.scores]
                trial, differences = await self._taken_apart(trial, differences, live, examples, ledger)
                return await self._verify(trial, differences, too_little)
        if self.trials:
            return await self._refused(self.trials[0])
        return self._result(AttemptOutcome.SKIPPED_DELTA, why)

    async def _nothing_new(self, composed: ComposeResult) -> OrchestratorResult:
        """No new text reached the end: all were worse or equal, or most were refused before they cost anything."""
        history = composed.instruction_stage.history
        children = [c for c in history if c.generation > 0]
        refused = [c for c in children if c.refused is not None]
        known = {c.id for c in refused}
        without_chance = [c for c in children if c.id in known or c.duplicate_of in known]
        if 2 * len(without_chance) > len(children) and not any(c.is_worth_scoring for c in children):
            first = refused[0]
            return await self._refused(self._try(first.id, first.deployed, 0.0, None))
        why = composed.instruction_stage.stop_reason
        said = {
            "done": "No new text was better than the present one.",
            "budget": "The budget ended before a better text was found.",
            "nothing-to-improve": "The present text leaves nothing to improve on these examples.",
            "no-new-idea": "The model had no new idea left, and none of its ideas was better than the present text.",
            "settled": "No new text was better, and the calls that were left could not have changed that.",
        }.get(why, f"No new text came about: {why}.")
        return self._result(AttemptOutcome.SKIPPED_DELTA, said)

    async def _prove_given(self, text: str, validation: tuple[Example, ...], ledger: ScoreLedger) -> OrchestratorResult:
        """A text that a person wrote: measured on development data, then the same gates and verification."""
        examples = validation[: self.request.settings.instruction.anchor]
        live, given = await ledger.measure_all([self.request.live, text], examples)
        shared = set(live.scores) & set(given.scores)
        before, after = live.means(shared), given.means(shared)
        self.log.add("given", live=before.overall, candidate=after.overall, n=before.n)
        self._say(Phase.GATES, "Checking the rules.")
        scores = GateScores(before.overall, after.overall) if shared else None
        trial = self._try("given", text, after.overall - before.overall, scores)
        if first_failure(trial.gates) is not None:
            return await self._refused(trial)
        await self._measured_hunks(trial.text, examples, ledger)  # a person's text is proven as it is
        return await self._verify(trial, [given.scores[i] - score for i, score in live.scores.items() if i in shared])

    async def _taken_apart(
        self,
        trial: Trial,
        differences: list[float],
        live: Measurement,
        examples: Sequence[Example],
        ledger: ScoreLedger,
    ) -> tuple[Trial, list[float]]:
        """Return the shortest text that is as good, with its differences; the same where nothing can go."""
        found = await self._measured_hunks(trial.text, examples, ledger)
        if found is None or found.shortest == trial.text:
            return trial, differences
        measured = ledger.reading(found.shortest, examples)
        shared = set(live.scores) & set(measured.scores)
        before, after = live.means(shared), measured.means(shared)
        scores = GateScores(before.overall, after.overall)
        shorter = self._try(f"{trial.id}-shorter", found.shortest, after.overall - before.overall, scores)
        if first_failure(shorter.gates) is not None:
            return trial, differences
        self.ablation = worth_of(found, self.request.live, left_out=found.droppable, compare=self.request.whole.compare)
        return shorter, [after - before for before, after in paired(live, measured)]

    async def _measured_hunks(self, text: str, examples: Sequence[Example], ledger: ScoreLedger) -> Ablation | None:
        """Measure what each change of ``text`` is worth, if that was asked for and the budget has room."""
        request = self.request
        compare = request.whole.compare
        calls = ablation_calls(request.live, text, examples, compare)
        if not request.ablate or not calls:
            return None
        if not self._may_spend(calls):
            self.log.add("ablation", skipped="budget", calls=calls)
            return None
        self._say(Phase.GATES, "Measuring what each change is worth.", {"stage": "ablation", **self._spent()})
        found = await ablate(
            request.live, text, examples, ledger, seed=request.seed,
            allowed=lambda changed: first_failure(self._gates(changed, None)) is None, compare=compare,
        )  # fmt: skip
        self.log.add(
            "ablation", gains=[[h.number, h.gain, h.earns] for h in found.hunks], droppable=list(found.droppable)
        )
        self.ablation = worth_of(found, request.live, compare=compare)
        return found

    async def _verify(self, trial: Trial, development: list[float], too_little: str = "") -> OrchestratorResult:
        """The suite first, where there is one, then the holdout; ``too_little``: only red to green justifies it."""
        request = self.request
        trial = await self._through_suite(trial)
        if first_failure(trial.gates) is not None:
            return await self._refused(trial)
        if too_little and (self.suite is None or self.suite.finding is not Finding.VERIFIED_IMPROVEMENT):
            return self._result(AttemptOutcome.SKIPPED_DELTA, too_little)
        proof = Proof(request, self.ports, self.dataset or Dataset((), (), (), request.seed))
        judge = metered_judge(self.ports.prover or self.ports.judge, self.cancel, self.spend)

        def told(done: int, planned: int, evidence: float) -> None:
            detail = {"done": done, "planned": planned, "evidence": evidence, **self._spent()}
            self._say(
                Phase.GATES, f"Proving on unseen cases: {done} of {planned}.", {"stage": "verification", **detail}
            )

        record = await proof.make(trial.text, development, judge, self.cancel, told)
        found = record.verification
        self.log.add(
            "verification", outcome=found.outcome.value, reason=found.reason, n=found.n, delta=found.delta,
            wins=found.wins, ties=found.ties, losses=found.losses, look=found.look,
        )  # fmt: skip
        decision = decide(
            found.outcome, found.because, reason=found.reason,
            live=request.whole.applied(request.live), candidate=request.whole.applied(trial.text),
            allow_safe=request.allow_safe,
        )  # fmt: skip
        if self.suite is not None:
            decision = with_suite(decision, self.suite.finding, self.suite.comparison.reason)
        return await self._conclude(trial, decision, record)

    @property
    def _may_show_red_green(self) -> bool:
        return self.ports.suite is not None and bool(self.ports.suite.evidence)

    async def _through_suite(self, trial: Trial) -> Trial:
        """Run the target's suite on both texts; what it says stands among the gates."""
        if self.ports.suite is None:
            return trial
        self._say(Phase.GATES, "Running the eval suite.", {"stage": "suite", **self._spent()})
        self.suite = suite = await self.ports.suite.prove(self.request.live, trial.text)
        said = suite.comparison
        self.log.add("suite", outcome=said.finding.value, code=said.code.value, improved=list(said.improved))
        tried = with_suite_gate(trial, suite)
        self.trials[self.trials.index(trial)] = tried
        return tried

    async def _conclude(self, trial: Trial, decision: Decision, record: VerificationRecord) -> OrchestratorResult:
        self.log.add("outcome", outcome=decision.outcome.value, reason=decision.reason)
        run = None
        if decision.is_stored:
            harm = decision.outcome is AttemptOutcome.SKIPPED_GATES
            delta = record.verification.delta if record.verification.delta is not None else trial.delta
            run = self._record(trial, delta, f"verification failure: {decision.reason}" if harm else None, decision)
            self._say(Phase.PERSIST, "Storing the run.")
            await self.ports.sink.store_run(run)
        return self._result(decision.outcome, decision.reason, run=run, gates=trial.gates, verification=record)

    async def _refused(self, trial: Trial) -> OrchestratorResult:
        failure = first_failure(trial.gates)
        reason = f"gate failure: {failure.reason}" if failure else "gate failure"
        self.log.add("outcome", outcome=AttemptOutcome.SKIPPED_GATES.value, reason=reason)
        decision = Decision(AttemptOutcome.SKIPPED_GATES, reason, can_accept=False)
        run = self._record(trial, trial.delta, reason, decision)
        self._say(Phase.PERSIST, "Storing the run.")
        await self.ports.sink.store_run(run)
        return self._result(AttemptOutcome.SKIPPED_GATES, reason, run=run, gates=trial.gates)

    def _try(self, name: str, text: str, delta: float, scores: GateScores | None) -> Trial:
        trial = Trial(name, text, delta, self._gates(text, scores))
        self.trials.append(trial)
        failure = first_failure(trial.gates)
        self.log.add("gates", candidate=name, delta=delta, failed=failure.gate if failure else None)
        return trial

    def _gates(self, text: str, scores: GateScores | None) -> tuple[GateResult, ...]:
        seen = (*self.dataset.train, *self.dataset.validation) if self.dataset else ()
        return judge_text(self.request, text, seen, scores)

    def _record(self, trial: Trial, delta: float, note: str | None, decision: Decision) -> RunRecord:
        request = self.request
        schema = self.composed.schema if self.composed else None
        return RunRecord(
            target_kind=request.target.kind.value,
            target_name=request.target.name,
            baseline_text=request.live,
            winner_text=trial.text,
            winner_schema=schema.to_json() if schema else None,
            delta_accuracy=round(delta, 6),
            gate_verdict="pass" if first_failure(trial.gates) is None else "fail",
            gate_reasons=tuple(stored_results(trial.gates)),
            status="rejected" if note is not None else "proposed",
            artifacts=self._artifacts(),
            user_note=note,
            needs_note=decision.needs_note,
            can_accept=decision.can_accept and note is None,
        )

    def _result(
        self,
        outcome: AttemptOutcome,
        reason: str,
        *,
        run: RunRecord | None = None,
        gates: tuple[GateResult, ...] = (),
        verification: VerificationRecord | None = None,
        error: HoneyguideError | None = None,
    ) -> OrchestratorResult:
        if run is None and verification is None:
            self.log.add("outcome", outcome=outcome.value, reason=reason)
        shown = self.trials[-1] if self.trials else None
        return OrchestratorResult(
            outcome,
            reason,
            run,
            gates or (shown.gates if shown else ()),
            self.composed.summary() if self.composed else None,
            verification,
            self._artifacts(),
            self.log,
            self.spend,
            evidence_of(self.composed, shown),
            error,
            self.suite,
        )

    def _artifacts(self) -> dict[str, Any]:
        suite = {} if self.suite is None else {"suite": self.suite.to_json()}
        return artifacts_of(self.request, self.composed, self.dataset, self.trials, self.ablation) | suite

    def _may_spend(self, calls: int) -> bool:
        """Whether ``calls`` more leave enough for the suite and the holdout."""
        left = self.ports.calls_left()
        if left is None:
            return True
        holdout = self.dataset.holdout if self.dataset else ()
        suite = self.ports.suite.calls if self.ports.suite is not None and self.suite is None else 0
        return calls + suite + verification_calls(holdout, self.request.settings) <= left

    def _report(self, event: SearchEvent) -> None:
        self._say(Phase.COMPOSE, event.message, {**event.to_json(), **self._spent()})

    def _spent(self) -> dict[str, Any]:
        return {"calls": self.spend.calls, "usd": self.spend.usd}

    def _say(self, phase: Phase, message: str, detail: Mapping[str, Any] | None = None) -> None:
        self.progress(Progress(phase, message, detail))
