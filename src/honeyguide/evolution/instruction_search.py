"""The generational search: children of the best texts, screened on few examples, measured on more, kept when unbeaten.

Differs from the first seed where that one misleads (docs/decisions 0070): all texts are compared on the same
examples, the whole front lives on and gives parents, nothing is run twice, and finalists are chosen on validation
examples that no mutation has seen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evolution.candidates import (
    BASELINE_ID,
    Candidate,
    Means,
    Measurement,
    best_first,
    like_for_like,
)
from honeyguide.evolution.execution import in_order
from honeyguide.evolution.failures import failures_for
from honeyguide.evolution.mutation import EarlierTry, MutationTask
from honeyguide.evolution.mutator import Proposal
from honeyguide.evolution.pareto import example_winners, front
from honeyguide.evolution.search import (
    Finalist,
    GenerationRecord,
    InstructionResult,
    InstructionTask,
    SearchEvent,
    SearchPorts,
)
from honeyguide.evolution.strategies import Strategy, strategy_for
from honeyguide.kernel.choice import shuffled, weighted
from honeyguide.kernel.errors import InvalidInput

STAGE = "instruction"
PERFECT = 0.999
"""A mean score from which there is nothing left to improve."""
MAX_EARLIER = 4
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class InstructionSettings:
    """The numbers of the search.

    Attributes:
        population: children a generation.
        generations: how many generations.
        micro: examples of the screen.
        mini: examples of the measurement that the front stands on; the screen's are among them.
        anchor: validation examples that finalists are measured on.
        finalists: how many of the front reach the anchor; ``None`` for all.
        slack: how much worse than its parent a child may screen and still be measured.
    """

    population: int = 5
    generations: int = 3
    micro: int = 50
    mini: int = 64
    anchor: int = 400
    finalists: int | None = None
    slack: float = 0.05

    def __post_init__(self) -> None:
        numbers = (self.population, self.micro, self.mini, self.anchor, 1 if self.finalists is None else self.finalists)
        if min(numbers) < 1 or self.generations < 0 or not 0 <= self.slack <= 1:
            raise InvalidInput("A search needs a population, examples and finalists of at least 1.")


@dataclass(frozen=True, slots=True)
class GenerationalSearch:
    """An ``InstructionSearch``; see the module."""

    settings: InstructionSettings = InstructionSettings()

    async def search(self, task: InstructionTask, ports: SearchPorts) -> InstructionResult:
        """Search; see ``InstructionSearch``. Raises InvalidInput without training examples."""
        if not task.train:
            raise InvalidInput("There is no training example to search on.", hint="Import more traces of this target.")
        return await _Search(self.settings, task, ports).run()

    def calls(
        self, train: Sequence[Example], validation: Sequence[Example], *, live_may_differ: bool = False
    ) -> tuple[int, int]:
        """Return the fewest and the most calls.

        Fewest: each generation has one child that passes the screen, and one of all reaches the anchor. Duplicates,
        refused texts and an early stop can make it cheaper still.
        """
        s = self.settings
        micro, mini, anchor = (len(train[: s.micro]), len(train[: max(s.micro, s.mini)]), len(validation[: s.anchor]))
        each = max((calls_for(example) for example in (*train, *validation)), default=2)
        start, mutations = mini, s.generations * s.population
        children = s.generations * s.population
        most_finalists = 1 + children if s.finalists is None else min(1 + children, 1 + s.finalists)
        most = start + children * mini + (most_finalists + live_may_differ) * anchor
        fewest = start + children * micro + s.generations * (mini - micro) + min(2, most_finalists) * anchor
        if s.generations == 0:
            fewest = most = start + anchor
        return fewest * each + mutations, most * each + mutations


def calls_for(example: Example) -> int:
    """Return how many model calls grading ``example`` takes: the answer, and the judge unless checks decide."""
    return 1 if example.role is ExpectationRole.CHECKS else 2


@dataclass(slots=True)
class _Search:
    """One run of the search; everything it decides is in ``ports.log``."""

    settings: InstructionSettings
    task: InstructionTask
    ports: SearchPorts
    micro: list[Example] = field(init=False)
    mini: list[Example] = field(init=False)
    anchor: list[Example] = field(init=False)
    seen: dict[str, Candidate] = field(default_factory=dict)
    history: list[Candidate] = field(default_factory=list)
    records: list[GenerationRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        train = shuffled(self.task.seed, self.task.train, STAGE, "train")
        self.micro = train[: self.settings.micro]
        self.mini = train[: max(self.settings.micro, self.settings.mini)]
        self.anchor = shuffled(self.task.seed, self.task.validation, STAGE, "validation")[: self.settings.anchor]

    async def run(self) -> InstructionResult:
        baseline = self._admit(Candidate(BASELINE_ID, self.task.instruction, self.task.whole(self.task.instruction)))
        self._report(0, "start", baseline)
        await self._measure([baseline], self.mini)
        survivors = [baseline]
        self._close_generation(0, [baseline], survivors)
        stop_reason = "done"
        for generation in range(1, self.settings.generations + 1):
            if any(self._reading(c, self.mini).means().overall >= PERFECT for c in survivors):
                stop_reason = "nothing-to-improve"
                break
            if not self.ports.may_spend(self._most_calls_of_a_generation()):
                stop_reason = "budget"
                break
            children = await self._children(generation, survivors)
            survivors = await self._select(generation, survivors, children)
            self._close_generation(generation, children, survivors)
            if all(child.problem.startswith("mutator-failed") for child in children):
                stop_reason = children[0].problem
                break
        self.ports.log.add("stop", stage=STAGE, reason=stop_reason)
        return await self._finish(baseline, survivors, stop_reason)

    async def _children(self, generation: int, survivors: list[Candidate]) -> list[Candidate]:
        plans = [self._plan(generation, i, survivors) for i in range(self.settings.population)]
        self._report(generation, "mutate", None)
        repetitions: dict[MutationTask, int] = {}
        jobs: list[Callable[[], Awaitable[Proposal]]] = []
        for _, mutation in plans:
            repetition = repetitions.get(mutation, 0)
            repetitions[mutation] = repetition + 1
            jobs.append(partial(self.ports.mutator.propose, mutation, repetition))
        proposals = await in_order(jobs, self.ports.width)
        return [
            self._child(f"g{generation}-m{i}", generation, parent, mutation, proposal)
            for i, ((parent, mutation), proposal) in enumerate(zip(plans, proposals, strict=True))
        ]

    def _plan(self, generation: int, i: int, survivors: list[Candidate]) -> tuple[Candidate, MutationTask]:
        parent = self._parent(generation, i, survivors)
        texts = self.task.form.texts(parent.text)
        number = self._number(generation, i, len(texts))
        about = [e for e in self.mini if number in (self.task.speaks_about(e) or (number,))] or self.mini
        failures = failures_for(self._reading(parent, about), about, self.ports.feedback, self.task.seed, generation, i)
        rules = self.task.rules_of(number)
        return parent, MutationTask(
            target=rules.target,
            current=texts[number],
            strategy=strategy_for(generation, i),
            limits=rules.limits,
            keep=rules.keep,
            appended=self.task.section,
            failures=failures,
            earlier=self._earlier(parent),
            others=self.task.form.others(texts, number),
        )

    def _number(self, generation: int, i: int, texts: int) -> int:
        """Return which of several texts child ``i`` changes: each in turn, in an order of the generation's own."""
        order = shuffled(self.task.seed, range(texts), STAGE, "text", generation)
        return order[i % texts]

    def _parent(self, generation: int, i: int, survivors: list[Candidate]) -> Candidate:
        """The best for the first child; for the others one that leads on many examples is drawn more often."""
        measured = {c.id: self._reading(c, self.mini) for c in survivors}
        if i == 0 or len(survivors) == 1:
            return best_first(survivors, like_for_like(measured))[0]
        wins = example_winners({name: m.scores for name, m in measured.items()})
        weights = [1.0 + wins[c.id] for c in survivors]
        return weighted(self.task.seed, survivors, weights, STAGE, "parent", generation, i)

    def _earlier(self, parent: Candidate) -> tuple[EarlierTry, ...]:
        tries = []
        for child in self.history:
            if child.parent != parent.id or not child.is_worth_scoring:
                continue
            means = like_for_like({c.id: self._reading(c, self.mini) for c in (parent, child)})
            if means[child.id].n:
                change = means[child.id].overall - means[parent.id].overall
                tries.append(EarlierTry(Strategy(child.strategy), means[child.id].overall, round(change, 2)))
        return tuple(tries[-MAX_EARLIER:])

    def _child(
        self, name: str, generation: int, parent: Candidate, mutation: MutationTask, proposal: Proposal
    ) -> Candidate:
        new = proposal.text
        text = parent.text if new is None else self.task.with_text(parent.text, mutation.target, new)
        candidate = Candidate(
            name,
            text,
            self.task.whole(text),
            parent.id,
            mutation.strategy.value,
            generation,
            feedback=tuple(failure.feedback for failure in mutation.failures),
            problem=proposal.problem,
        )
        twin = self.seen.get(candidate.deployed)
        if twin is not None:
            candidate = replace(candidate, duplicate_of=twin.id)
        else:
            candidate = replace(candidate, refused=self.ports.first_failed_gate(candidate.deployed))
        self.ports.log.add(
            "child", id=name, parent=parent.id, strategy=candidate.strategy, sha256=candidate.sha256,
            duplicate_of=candidate.duplicate_of, refused=candidate.refused.gate if candidate.refused else None,
            problem=candidate.problem or None,
        )  # fmt: skip
        return self._admit(candidate)

    async def _select(self, generation: int, survivors: list[Candidate], children: list[Candidate]) -> list[Candidate]:
        fresh = [child for child in children if child.is_worth_scoring]
        await self._measure(fresh, self.micro)
        kept = self._screened(generation, survivors, fresh)
        await self._measure(kept, self.mini)
        for child in kept:
            self._report(generation, "mini-eval", child)
        pool = [*survivors, *kept]
        means = like_for_like({c.id: self._reading(c, self.mini) for c in pool})
        return front(pool, lambda c: (means[c.id].correctness, means[c.id].procedure, means[c.id].conciseness))

    def _screened(self, generation: int, survivors: list[Candidate], fresh: list[Candidate]) -> list[Candidate]:
        """Keep children that are no more than the slack behind their parent on the screen, or else the best one."""
        by_id = {c.id: c for c in survivors}
        kept, means_of = [], {}
        for child in fresh:
            both = like_for_like({c.id: self._reading(c, self.micro) for c in (by_id[child.parent or ""], child)})
            mine, parents = both[child.id], both[child.parent or ""]
            means_of[child.id] = mine
            if mine.n and mine.overall >= parents.overall - self.settings.slack - _TOLERANCE:
                kept.append(child)
            self._report(generation, "micro-screen", child, mine)
        scored = [child for child in fresh if means_of[child.id].n]
        if not kept and scored:
            kept = best_first(scored, means_of)[:1]
        self.ports.log.add(
            "screen", generation=generation, scores={name: m.overall for name, m in means_of.items()},
            kept=[c.id for c in kept],
        )  # fmt: skip
        return kept

    async def _finish(self, baseline: Candidate, survivors: list[Candidate], stop_reason: str) -> InstructionResult:
        ranked = best_first(survivors, like_for_like({c.id: self._reading(c, self.mini) for c in survivors}))
        if self.settings.finalists is not None:
            new = [c for c in ranked if c.id != baseline.id][: self.settings.finalists]
            ranked = [c for c in ranked if c in new or c.id == baseline.id]
        if baseline not in ranked:
            ranked = [*ranked, baseline]
        texts = [*(c.deployed for c in ranked), self.task.deployed]
        measured = await self.ports.ledger.measure_all(texts, self.anchor)
        live = measured[-1]
        by_id = {c.id: m for c, m in zip(ranked, measured, strict=False)}
        comparable = {name: m for name, m in by_id.items() if m.scores or not live.scores}
        comparable = comparable or {baseline.id: live}
        means = like_for_like({**comparable, "": live})
        ordered = best_first([c for c in ranked if c.id in comparable], means)
        last = front(ordered, lambda c: (means[c.id].correctness, means[c.id].procedure, means[c.id].conciseness))
        self.ports.log.add(
            "anchor", stage=STAGE, examples=[e.id for e in self.anchor], live=means[""].overall,
            scores={c.id: means[c.id].overall for c in ordered}, order=[c.id for c in ordered],
            front=[c.id for c in last],
        )  # fmt: skip
        self._report(self.settings.generations, "anchor", ordered[0], means[ordered[0].id], [c.id for c in last])
        return InstructionResult(
            baseline=baseline,
            live=live,
            live_means=means[""],
            history=tuple(self.history),
            generations=tuple(self.records),
            front=tuple(c.id for c in last),
            finalists=tuple(Finalist(c, comparable[c.id], means[c.id]) for c in ordered),
            stop_reason=stop_reason,
        )

    def _close_generation(self, generation: int, tried: list[Candidate], survivors: list[Candidate]) -> None:
        readings = {c.id: self._reading(c, self.mini) for c in (*tried, *survivors)}
        scores = {name: m.means() for name, m in readings.items() if m.scores}
        best = best_first(survivors, like_for_like({c.id: readings[c.id] for c in survivors}))[0]
        record = GenerationRecord(STAGE, generation, tuple(tried), scores, tuple(c.id for c in survivors), best.id)
        self.records.append(record)
        self.ports.log.add(
            "generation", stage=STAGE, generation=generation, front=list(record.front), best=best.id,
            scores={name: m.overall for name, m in scores.items()},
        )  # fmt: skip
        self._report(generation, "generation", best, None, list(record.front))

    async def _measure(self, candidates: list[Candidate], examples: list[Example]) -> None:
        await self.ports.ledger.measure_all([c.deployed for c in candidates], examples)

    def _reading(self, candidate: Candidate, examples: list[Example]) -> Measurement:
        return self.ports.ledger.reading(candidate.deployed, examples)

    def _admit(self, candidate: Candidate) -> Candidate:
        self.seen.setdefault(candidate.deployed, candidate)
        self.history.append(candidate)
        return candidate

    def _most_calls_of_a_generation(self) -> int:
        each = max((calls_for(example) for example in self.mini), default=2)
        finalists = 2 if self.settings.finalists is None else self.settings.finalists + 1
        return self.settings.population * (1 + each * len(self.mini)) + finalists * each * len(self.anchor)

    def _report(
        self, generation: int, message: str, candidate: Candidate | None, means: Means | None = None,
        front_ids: Sequence[str] = (),
    ) -> None:  # fmt: skip
        shown = None
        if candidate is not None:
            scores = means if means is not None else self._reading(candidate, self.mini).means()
            shown = {
                "id": candidate.id,
                "parent": candidate.parent,
                "strategy": candidate.strategy,
                "scores": {**scores.to_json(), "chars": len(candidate.deployed)},
                "complexity": None,
            }
        self.ports.report(SearchEvent(STAGE, generation, message, shown, tuple(front_ids)))
