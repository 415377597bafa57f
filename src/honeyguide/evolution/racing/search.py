"""The racing search behind the port of ``evolution.search``: runs the race with the models, several calls at a time.

Results enter the race in the order in which they were asked for, and how far it looks ahead is a number of the
settings, not of the machine: the same seed gives the same decision log at any concurrency and latency, and on a
journal after any interruption.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from honeyguide.evals.examples import Example
from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.candidates import BASELINE_ID, Candidate, Means, best_first, like_for_like
from honeyguide.evolution.failures import shown_as_failure
from honeyguide.evolution.instruction_search import STAGE, InstructionSettings, calls_for
from honeyguide.evolution.mutation import Failure, MutationTask
from honeyguide.evolution.mutator import Proposal
from honeyguide.evolution.pareto import front
from honeyguide.evolution.racing.grades import Grades
from honeyguide.evolution.racing.kinds import KindBook, Kinds
from honeyguide.evolution.racing.lanes import Call, Lanes
from honeyguide.evolution.racing.race import Race, RunJob
from honeyguide.evolution.racing.reflecting import ReflectJob
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.racing.texts import TextParts
from honeyguide.evolution.racing.wholes import Wholes
from honeyguide.evolution.search import (
    Finalist,
    GenerationRecord,
    InstructionResult,
    InstructionTask,
    SearchEvent,
    SearchPorts,
)
from honeyguide.kernel.choice import shuffled
from honeyguide.kernel.errors import InvalidInput

FAILED_IN_A_ROW = 4
"""Reflections that failed one after another end the search: the mutator is down."""
TOLD_EVERY = 12
"""Answers between two reports."""
SHOWN_FROM = 6
"""Answers of one text from which its mean score is shown: one lucky answer is no score."""


@dataclass(frozen=True, slots=True)
class RacingSearch:
    """An ``InstructionSearch``; see ``docs/search.md``.

    Attributes:
        kinds: makes the reader of failures for one search.
    """

    settings: RacingSettings = field(default_factory=RacingSettings)
    parts: TextParts = field(default_factory=TextParts)
    kinds: Callable[[], Kinds] = KindBook

    @classmethod
    def sized(cls, sizes: InstructionSettings) -> RacingSearch:
        """Return the search that may evaluate as often as the generational one with ``sizes`` at most does."""
        evaluations = sizes.population * sizes.generations * sizes.mini
        return cls(RacingSettings(evaluations=evaluations, anchor=sizes.anchor))

    async def search(self, task: InstructionTask, ports: SearchPorts) -> InstructionResult:
        """Search; see ``InstructionSearch``. Raises InvalidInput without training examples."""
        if not task.train:
            raise InvalidInput("There is no training example to search on.", hint="Import more traces of this target.")
        return await _Search(self, task, ports).run()

    def calls(
        self, train: Sequence[Example], validation: Sequence[Example], *, live_may_differ: bool = False
    ) -> tuple[int, int]:
        """Return the fewest and the most calls.

        Fewest: the present text leaves nothing to improve, and a search for a structure before this one measured it.
        """
        settings = self.settings
        each = max((calls_for(example) for example in (*train, *validation)), default=2)
        anchor = len(validation[: settings.anchor])
        reflections = settings.evaluations // settings.calls_per_reflection
        first = min(settings.first_look, len(train), settings.evaluations)
        fewest = 0 if live_may_differ else (first + anchor) * each
        return fewest, (settings.evaluations + (2 + live_may_differ) * anchor) * each + reflections


@dataclass(slots=True)
class _Search:
    """One run of the search."""

    search: RacingSearch
    task: InstructionTask
    ports: SearchPorts
    race: Race = field(init=False)
    wholes: Wholes = field(init=False)
    examples: list[Example] = field(init=False)
    anchor: list[Example] = field(init=False)
    kinds: Kinds = field(init=False)
    has_budget: bool = field(init=False)
    parts: TextParts = field(init=False)
    grades: Grades = field(default_factory=Grades)
    evaluations: list[Evaluation] = field(default_factory=list)
    history: list[Candidate] = field(default_factory=list)
    records: list[GenerationRecord] = field(default_factory=list)
    refused: int = 0
    failed: int = 0
    problem: str = ""
    _by_text: dict[str, Candidate] = field(default_factory=dict)
    _in_generation: Counter[int] = field(default_factory=Counter)
    _repetitions: Counter[MutationTask] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        task, settings = self.task, self.search.settings
        ids = {example.id for example in task.train}
        self.examples = [*task.train, *(example for example in task.validation if example.id not in ids)]
        self.anchor = shuffled(task.seed, task.validation, STAGE, "validation")[: settings.anchor]
        self.kinds = self.search.kinds()
        self.parts = self.search.parts
        if task.rules:
            self.parts = TextParts(task.form.texts, lambda texts: task.form.of(tuple(texts)))
        self.wholes = Wholes(task, self.parts, self.ports.first_failed_gate)
        allowance = self._allowance()
        self.has_budget = allowance >= settings.evaluations
        self.race = Race(
            replace(settings, evaluations=allowance),
            task.seed,
            self.parts.split(task.instruction),
            [example.input for example in self.examples],
            len(task.train),
            self.ports.log,
            self.wholes.may_try,
            self.wholes.key,
            [task.speaks_about(example) for example in self.examples] if task.rules else (),
        )

    async def run(self) -> InstructionResult:
        baseline = Candidate(BASELINE_ID, self.task.instruction, self.task.whole(self.task.instruction))
        self._enter(baseline)
        self._report("start", baseline)
        await self._race()
        reason = self._stop_reason()
        log, race = self.ports.log, self.race
        log.add("stop", stage=STAGE, reason=reason, answers=len(race.answers), reflections=race.reflections)
        return await self._finish(baseline, reason)

    # ---- the race --------------------------------------------------------------------------------------------

    async def _race(self) -> None:
        """Keep calls under way; hand in the oldest evaluation, or a reflection that is due, as soon as it is there."""
        race, lanes = self.race, Lanes(max(self.ports.width, 1))
        runs: deque[tuple[RunJob, Call[Evaluation]]] = deque()
        reflections: deque[tuple[ReflectJob, Call[Proposal]]] = deque()
        try:
            while self.failed < FAILED_IN_A_ROW:
                while (wanted := race.next_reflection()) is not None:
                    reflections.append((wanted, lanes.reflect(self._asking(wanted))))
                while len(runs) < race.settings.ahead and (job := race.next_run()) is not None:
                    runs.append((job, lanes.evaluate(self._running(job))))
                if reflections and (not runs or race.is_due(reflections[0][0])):
                    reflect, proposal = reflections[0]
                    self._take_proposal(reflect, await proposal.result())
                    reflections.popleft()
                elif runs:
                    job, evaluation = runs[0]
                    self._take_evaluation(job, await evaluation.result())
                    runs.popleft()
                else:
                    return
        finally:
            await lanes.close()

    def _running(self, job: RunJob) -> Callable[[], Awaitable[Evaluation]]:
        submit, example, text = self.ports.ledger.submit, self.examples[job.example], self.wholes.of(job.parts)[0]
        return lambda: submit(text, example, job.repetition)

    def _asking(self, job: ReflectJob) -> Callable[[], Awaitable[Proposal]]:
        task, rules = self.task, self.task.rules_of(job.part)
        other = 0 if task.rules else len(self.parts.join(self.race.parts)) - len(self.race.parts[job.part])
        mutation = MutationTask(
            target=rules.target,
            current=job.current,
            strategy=job.strategy,
            limits=rules.limits.less(max(other, 0)),
            keep=rules.keep,
            appended=task.section,
            failures=tuple(self._shown(number) for number in job.failures),
            good=tuple(self._shown(number) for number in job.good),
            avoid=job.avoid,
            others=task.form.others(job.parts, job.part),
        )
        repetition = self._repetitions[mutation]
        self._repetitions[mutation] += 1
        return lambda: self.ports.mutator.propose(mutation, repetition)

    def _take_evaluation(self, job: RunJob, evaluation: Evaluation) -> None:
        race = self.race
        text, key = self.wholes.of(job.parts)
        self.ports.ledger.record(text, evaluation, key)
        self.evaluations.append(evaluation)
        before = race.leader if race.looks_after(len(race.answers) + 1) else None
        race.take_answer(job, *self.grades.settle(evaluation, self.kinds.of(evaluation)))
        if before is not None and race.leader != before:
            self._follow_leader()
        elif len(race.answers) % TOLD_EVERY == 0:
            self._report("race", self.history[-1])

    def _take_proposal(self, job: ReflectJob, proposal: Proposal) -> None:
        failed = proposal.problem.startswith("mutator-failed")
        self.failed = self.failed + 1 if failed else 0
        self.problem = proposal.problem if failed else ""
        self.race.take_reflection(job, proposal.text)
        for parts in self.race.board.refused[self.refused :]:
            text = self.parts.join(parts)
            self._admit(text, job.strategy.value, refused=True)
        self.refused = len(self.race.board.refused)
        self._report("mutate", None)

    def _follow_leader(self) -> None:
        candidate = self._admit(self.parts.join(self.race.leader), self.race.board.last_source)
        means = self.ports.ledger.reading(candidate.deployed, self.examples).means()
        record = GenerationRecord(
            STAGE,
            len(self.records) + 1,
            (candidate,),
            {candidate.id: means} if means.n >= SHOWN_FROM else {},
            (candidate.id,),
            candidate.id,
        )
        self.records.append(record)
        self.ports.log.add("leader", id=candidate.id, sha256=candidate.sha256, answers=len(self.race.answers))
        self._report("race", candidate, means, [candidate.id])

    def _admit(self, text: str, strategy: str, *, refused: bool = False) -> Candidate:
        deployed = self.task.whole(text)
        twin = self._by_text.get(deployed)
        generation = len(self.records) + 1
        candidate = Candidate(
            f"g{generation}-m{self._in_generation[generation]}",
            text,
            deployed,
            parent=next((c.id for c in reversed(self.history) if c.refused is None), BASELINE_ID),
            strategy=strategy,
            generation=generation,
            duplicate_of=twin.id if twin is not None else None,
            refused=self.ports.first_failed_gate(deployed) if refused else None,
        )
        self._enter(candidate)
        return candidate

    def _enter(self, candidate: Candidate) -> None:
        self.history.append(candidate)
        self._by_text.setdefault(candidate.deployed, candidate)
        self._in_generation[candidate.generation] += 1

    # ---- the end ---------------------------------------------------------------------------------------------

    async def _finish(self, baseline: Candidate, reason: str) -> InstructionResult:
        task, ledger = self.task, self.ports.ledger
        text = self.parts.join(self.race.leader)
        found = [baseline] if text == task.instruction else [self._final(text), baseline]
        measured = await ledger.measure_all([*(c.deployed for c in found), task.deployed], self.anchor)
        live = measured[-1]
        by_id = {c.id: m for c, m in zip(found, measured, strict=False)}
        comparable = {name: m for name, m in by_id.items() if m.scores or not live.scores} or {baseline.id: live}
        raced = {id(evaluation) for evaluation in self.evaluations}
        for evaluation in {id(e): e for m in measured for e in m.evaluations if id(e) not in raced}.values():
            self.grades.settle(evaluation, ())
        settled = {name: self.grades.settled(m) for name, m in {**comparable, "": live}.items()}
        means = like_for_like(settled)
        ordered = best_first([c for c in found if c.id in comparable], means)
        last = front(ordered, lambda c: (means[c.id].correctness, means[c.id].procedure, means[c.id].conciseness))
        self.ports.log.add(
            "anchor", stage=STAGE, examples=[e.id for e in self.anchor], live=means[""].overall,
            scores={c.id: means[c.id].overall for c in ordered}, order=[c.id for c in ordered],
            front=[c.id for c in last],
        )  # fmt: skip
        shown = {c.id: means[c.id] for c in ordered}
        self.records.append(
            GenerationRecord(
                STAGE, len(self.records) + 1, tuple(ordered), shown, tuple(c.id for c in last), ordered[0].id
            )
        )
        self._report("anchor", ordered[0], means[ordered[0].id], [c.id for c in last])
        return InstructionResult(
            baseline=baseline,
            live=live,
            live_means=means[""],
            history=tuple(self.history),
            generations=tuple(self.records),
            front=tuple(c.id for c in last),
            finalists=tuple(Finalist(c, comparable[c.id], means[c.id]) for c in ordered),
            stop_reason=reason,
        )

    def _final(self, text: str) -> Candidate:
        """The candidate of the leader's text; its first name where it had led before."""
        deployed = self.task.whole(text)
        return next((c for c in self.history if c.deployed == deployed and c.refused is None), None) or self._admit(
            text, self.race.board.last_source
        )

    def _stop_reason(self) -> str:
        race = self.race
        if self.failed >= FAILED_IN_A_ROW:
            return self.problem
        if race.is_perfect:
            return "nothing-to-improve"
        if race.is_dry:
            return "no-new-idea"
        if race.asked < race.settings.evaluations:
            return "settled"
        return "done" if self.has_budget else "budget"

    # ---- what is allowed -------------------------------------------------------------------------------------

    def _allowance(self) -> int:
        """Return how many evaluations the budget has room for, with the reflections and the last measurement.

        Asked once, before the first call, so that the answer does not depend on what is under way.
        """
        settings = self.search.settings
        each = max((calls_for(example) for example in self.examples), default=2)
        last = 3 * len(self.anchor) * each

        return settings.most(lambda answers, rewrites: self.ports.may_spend(answers * each + rewrites + last))

    # ---- telling ---------------------------------------------------------------------------------------------

    def _shown(self, number: int) -> Failure:
        evaluation = self.evaluations[number]
        example = self.examples[self.race.answers[number].example]
        return shown_as_failure(evaluation, example, self.ports.feedback)

    def _report(
        self, message: str, candidate: Candidate | None, means: Means | None = None, front_ids: Sequence[str] = ()
    ) -> None:
        shown = None
        if candidate is not None:
            scores = (
                means if means is not None else self.ports.ledger.reading(candidate.deployed, self.examples).means()
            )
            shown = {
                "id": candidate.id,
                "parent": candidate.parent,
                "strategy": candidate.strategy,
                "scores": {
                    **(scores if scores.n >= SHOWN_FROM else Means()).to_json(),
                    "chars": len(candidate.deployed),
                },
                "complexity": None,
            }
        self.ports.report(SearchEvent(STAGE, len(self.records), message, shown, tuple(front_ids)))
