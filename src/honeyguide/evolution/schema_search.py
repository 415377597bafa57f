"""The search for a better answer structure: three phases a generation, kept when accurate or simple.

A schema is measured as it would be deployed: as a section behind the instruction, answered by the model and graded
like any other answer. The baseline is the live text as it is. Source: first seed, section 4.2; differences in
docs/decisions 0070 and 0071.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from honeyguide.evals.examples import Example
from honeyguide.evals.verdicts import Evaluation, JudgeScore
from honeyguide.evolution.answer_structure import AnswerStyle, render_section
from honeyguide.evolution.candidates import BASELINE_ID, Candidate, Means, Measurement, like_for_like
from honeyguide.evolution.instruction_search import calls_for
from honeyguide.evolution.pareto import front
from honeyguide.evolution.schema import Schema
from honeyguide.evolution.schema_conformity import conforms
from honeyguide.evolution.schema_generators import (
    SchemaChild,
    order_children,
    refinement_children,
    structure_children,
)
from honeyguide.evolution.search import GenerationRecord, SearchEvent, SearchPorts
from honeyguide.evolution.wholes import SINGLE, Whole
from honeyguide.kernel.choice import choose, shuffled
from honeyguide.kernel.errors import InvalidInput

STAGE = "schema"


@dataclass(frozen=True, slots=True)
class SchemaSettings:
    """The numbers of the search.

    Attributes:
        population: how many schemas live on when the front is larger.
        generations: how many generations; 0 leaves the structure as it is.
        structure, order, refinement: children of each phase a generation.
        eval_size: training examples that each schema is measured on.
        anchor: validation examples that the last front is measured on.
        adopt_delta: the gain in accuracy from which a schema is taken over; its section is text to carry for ever.
    """

    population: int = 5
    generations: int = 3
    structure: int = 3
    order: int = 1
    refinement: int = 1
    eval_size: int = 32
    anchor: int = 100
    adopt_delta: float = 0.02

    def __post_init__(self) -> None:
        if min(self.population, self.eval_size, self.anchor) < 1 or self.generations < 0:
            raise InvalidInput("A schema search needs a population and examples of at least 1.")
        if min(self.structure, self.order, self.refinement) < 0:
            raise InvalidInput("A phase cannot have fewer than 0 children.")

    @property
    def children(self) -> int:
        """The most children a generation has."""
        return self.structure + self.order + self.refinement


@dataclass(frozen=True, slots=True)
class SchemaTask:
    """What is to be structured.

    Attributes:
        instruction: the text that a section is put behind.
        live: the whole text as it is deployed now, measured as the baseline.
        baseline: the schema that the live text stands for.
        whole: the form of ``live``: one text, or several.
    """

    instruction: str
    live: str
    baseline: Schema
    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    style: AnswerStyle = AnswerStyle.PROSE
    seed: int = 1
    whole: Whole = SINGLE


@dataclass(frozen=True, slots=True)
class SchemaResult:
    """What the search found; ``means`` holds the accuracy of baseline and front on the same validation examples."""

    baseline: Candidate
    winner: Candidate
    front: tuple[str, ...]
    means: Mapping[str, Means]
    history: tuple[Candidate, ...]
    generations: tuple[GenerationRecord, ...]
    stop_reason: str = "done"

    @property
    def delta(self) -> float:
        """Accuracy of the winner less that of the live text, on the same examples."""
        return self.means[self.winner.id].overall - self.means[self.baseline.id].overall

    @property
    def improved(self) -> bool:
        return self.delta > 0 and self.winner.id != self.baseline.id


@dataclass(frozen=True, slots=True)
class SchemaSearch:
    """Runs the three phases; see the module."""

    settings: SchemaSettings = SchemaSettings()

    async def search(self, task: SchemaTask, ports: SearchPorts) -> SchemaResult:
        """Search. Raises TooManyUnscored, BudgetExceeded, Interrupted, or InvalidInput without training examples."""
        if not task.train:
            raise InvalidInput("There is no training example to search on.", hint="Import more traces of this target.")
        return await _Search(self.settings, task, ports).run()

    def calls(self, train: Sequence[Example], validation: Sequence[Example]) -> tuple[int, int]:
        """Return the fewest and the most model calls; refused or repeated schemas make it cheaper still."""
        s = self.settings
        if s.generations == 0:
            return 0, 0
        each = max((calls_for(example) for example in (*train, *validation)), default=2)
        sizes = len(train[: s.eval_size]), len(validation[: s.anchor])
        most = (1 + s.generations * s.children) * sizes[0] + (1 + s.population) * sizes[1]
        fewest = (1 + s.generations) * sizes[0] + sizes[1]
        return fewest * each, most * each


@dataclass(slots=True)
class _Search:
    settings: SchemaSettings
    task: SchemaTask
    ports: SearchPorts
    sample: list[Example] = field(init=False)
    anchor: list[Example] = field(init=False)
    seen: dict[str, Candidate] = field(default_factory=dict)
    history: list[Candidate] = field(default_factory=list)
    records: list[GenerationRecord] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sample = shuffled(self.task.seed, self.task.train, STAGE, "train")[: self.settings.eval_size]
        validation = shuffled(self.task.seed, self.task.validation, STAGE, "validation")
        self.anchor = validation[: self.settings.anchor]

    async def run(self) -> SchemaResult:
        task = self.task
        baseline = Candidate(BASELINE_ID, task.instruction, task.live, schema=task.baseline)
        self._admit(baseline)
        self._report(0, "start", baseline)
        await self.ports.ledger.measure(baseline.deployed, self.sample)
        survivors = [baseline]
        self._close(0, [baseline], survivors)
        stop_reason = "done"
        for generation in range(1, self.settings.generations + 1):
            if not self.ports.may_spend(self._most_calls_of_a_generation()):
                stop_reason = "budget"
                break
            children = self._children(generation, survivors)
            fresh = [child for child in children if child.is_worth_scoring]
            await self.ports.ledger.measure_all([child.deployed for child in fresh], self.sample)
            survivors = self._survivors([*survivors, *(c for c in fresh if self._reading(c).scores)])
            for child in children:
                self._report(generation, child.strategy, child)
            self._close(generation, children, survivors)
            if not fresh:
                break
        self.ports.log.add("stop", stage=STAGE, reason=stop_reason)
        return await self._finish(baseline, survivors, stop_reason)

    def _children(self, generation: int, survivors: list[Candidate]) -> list[Candidate]:
        """Structure and order come from the most accurate; refinement from any of the front."""
        s, seed = self.settings, self.task.seed
        best = self._best(survivors)
        weak = choose(seed, survivors, STAGE, "refined", generation)
        feedback = self._reading(weak).weakness_feedback()
        phases: list[tuple[str, Candidate, list[SchemaChild]]] = [
            ("structure", best, structure_children(_schema(best), s.structure, seed, STAGE, generation)),
            ("order", best, order_children(_schema(best), s.order, seed, STAGE, generation)),
            ("refinement", weak, refinement_children(_schema(weak), feedback, s.refinement)),
        ]
        return [
            self._child(f"g{generation}-{phase}-{i}", generation, parent, child, feedback if parent is weak else ())
            for phase, parent, children in phases
            for i, child in enumerate(children)
        ]

    def _child(
        self, name: str, generation: int, parent: Candidate, child: SchemaChild, feedback: tuple[str, ...]
    ) -> Candidate:
        whole = self._whole(child.schema)
        candidate = Candidate(
            name, self.task.instruction, whole, parent.id, child.mutation.value, generation, child.schema, feedback
        )
        twin = self.seen.get(whole)
        if twin is not None:
            candidate = replace(candidate, duplicate_of=twin.id)
        else:
            candidate = replace(candidate, refused=self.ports.first_failed_gate(whole))
        self.ports.log.add(
            "child", id=name, parent=parent.id, strategy=candidate.strategy, sha256=candidate.sha256,
            duplicate_of=candidate.duplicate_of, refused=candidate.refused.gate if candidate.refused else None,
        )  # fmt: skip
        self._admit(candidate)
        return candidate

    def _whole(self, schema: Schema) -> str:
        """The live text stands for the baseline schema; every other one is a section behind the instruction."""
        if schema.same_structure(self.task.baseline):
            return self.task.live
        return self.task.whole.put(self.task.instruction, render_section(schema, self.task.style))

    def _survivors(self, pool: list[Candidate]) -> list[Candidate]:
        means = self._means(pool)
        kept = front(pool, lambda c: (means[c.id].overall, -_schema(c).complexity))
        return kept if len(kept) <= self.settings.population else ranked(kept, means)[: self.settings.population]

    async def _finish(self, baseline: Candidate, survivors: list[Candidate], stop_reason: str) -> SchemaResult:
        pool = survivors if baseline in survivors else [baseline, *survivors]
        measured = await self.ports.ledger.measure_all([c.deployed for c in pool], self.anchor)
        by_id = {c.id: self._usable(c, m) for c, m in zip(pool, measured, strict=True)}
        comparable = [c for c in pool if by_id[c.id].scores or c is baseline]
        means = like_for_like({c.id: by_id[c.id] for c in comparable})
        last = front(comparable, lambda c: (means[c.id].overall, -_schema(c).complexity))
        winner = ranked(last, means)[0]
        self.ports.log.add(
            "anchor", stage=STAGE, examples=[e.id for e in self.anchor], winner=winner.id,
            scores={name: m.overall for name, m in means.items()}, front=[c.id for c in last],
        )  # fmt: skip
        self._report(self.settings.generations, "anchor", winner, means[winner.id], [c.id for c in last])
        return SchemaResult(
            baseline, winner, tuple(c.id for c in last), means, tuple(self.history), tuple(self.records), stop_reason
        )

    def _best(self, candidates: list[Candidate]) -> Candidate:
        means = self._means(candidates)
        return max(candidates, key=lambda c: round(means[c.id].overall, 9))

    def _means(self, candidates: list[Candidate]) -> dict[str, Means]:
        return like_for_like({c.id: self._reading(c) for c in candidates})

    def _reading(self, candidate: Candidate) -> Measurement:
        return self._usable(candidate, self.ports.ledger.reading(candidate.deployed, self.sample))

    def _usable(self, candidate: Candidate, measured: Measurement) -> Measurement:
        """Where JSON was asked for, an answer that does not keep the schema is worth nothing."""
        if self.task.style is AnswerStyle.PROSE or candidate.deployed == self.task.live:
            return measured
        schema = _schema(candidate)
        return Measurement(tuple(e if conforms(schema, e.actual) else _worthless(e) for e in measured.evaluations))

    def _admit(self, candidate: Candidate) -> None:
        self.seen.setdefault(candidate.deployed, candidate)
        self.history.append(candidate)

    def _close(self, generation: int, tried: list[Candidate], survivors: list[Candidate]) -> None:
        scores = {c.id: self._reading(c).means() for c in (*tried, *survivors) if self._reading(c).scores}
        record = GenerationRecord(
            STAGE, generation, tuple(tried), scores, tuple(c.id for c in survivors), self._best(survivors).id
        )
        self.records.append(record)
        self.ports.log.add(
            "generation", stage=STAGE, generation=generation, front=list(record.front), best=record.best,
            scores={name: m.overall for name, m in scores.items()},
        )  # fmt: skip

    def _most_calls_of_a_generation(self) -> int:
        each = max((calls_for(example) for example in self.sample), default=2)
        return each * (self.settings.children * len(self.sample) + self.settings.population * len(self.anchor))

    def _report(
        self, generation: int, message: str, candidate: Candidate, means: Means | None = None, ids: Sequence[str] = ()
    ) -> None:
        scores = means if means is not None else self._reading(candidate).means()
        shown = {
            "id": candidate.id,
            "parent": candidate.parent,
            "strategy": candidate.strategy,
            "scores": {**scores.to_json(), "chars": len(candidate.deployed)},
            "complexity": round(_schema(candidate).complexity, 6),
        }
        self.ports.report(SearchEvent(STAGE, generation, message, shown, tuple(ids)))


def ranked(candidates: Sequence[Candidate], means: Mapping[str, Means]) -> list[Candidate]:
    """Order by accuracy, then by the lower complexity, then as given."""
    return sorted(candidates, key=lambda c: (-round(means[c.id].overall, 9), round(_schema(c).complexity, 9)))


def _worthless(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with a score of nothing; one without a verdict stays without."""
    if evaluation.verdict.score is None:
        return evaluation
    nothing = JudgeScore(0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    return replace(
        evaluation, verdict=replace(evaluation.verdict, score=nothing, feedback="format: not the asked JSON")
    )


def _schema(candidate: Candidate) -> Schema:
    if candidate.schema is None:
        raise ValueError(f"{candidate.id} has no schema")
    return candidate.schema
