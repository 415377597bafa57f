"""What every search of prompts takes and gives, so that one can stand in for another.

``evolution.instruction_search`` is the generational search of the seed; ``evolution.racing`` fits the same port.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from honeyguide.evals.examples import Example
from honeyguide.evolution.candidates import Candidate, Means, Measurement, paired
from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.mutator import Mutator
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.evolution.wholes import SINGLE, TextRules, Whole
from honeyguide.prompts.targets import TargetRef


@dataclass(frozen=True, slots=True)
class InstructionTask:
    """What is to be improved, and on which examples.

    Attributes:
        instruction: the text that may change.
        section: the answer structure that follows it in what is measured and deployed; empty for none.
        deployed: the live text, which every finalist is compared with on the same examples.
        train: examples that the mutator may see.
        validation: examples that choose among finalists; the mutator never sees them.
        limits: what is left for the instruction once the section has its share.
        form, rules: how the instruction falls into several texts, and what each of them has to keep to; without rules
            it is one text.
        about: of several texts, which ones an example speaks about, by its id; one that is not named speaks about all.
    """

    target: TargetRef
    instruction: str
    deployed: str
    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    section: str = ""
    limits: TextLimits = field(default_factory=TextLimits)
    keep: Keep = field(default_factory=Keep)
    seed: int = 1
    form: Whole = SINGLE
    rules: tuple[TextRules, ...] = ()
    about: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def whole(self, instruction: str) -> str:
        """Return ``instruction`` with the section behind it, as it would be deployed."""
        text = self.form.put(instruction, self.section)
        return self.deployed if self.form.says_the_same(text, self.deployed) else text

    def with_text(self, instruction: str, target: TargetRef, text: str) -> str:
        """Return ``instruction`` with ``text`` as that of ``target``, the only one or one of several."""
        texts = self.form.texts(instruction)
        number = [self.rules_of(place).target for place in range(len(texts))].index(target)
        return self.form.of((*texts[:number], text, *texts[number + 1 :]))

    def speaks_about(self, example: Example) -> frozenset[int]:
        """Return the numbers of the texts that ``example`` speaks about; empty for all of them."""
        return frozenset(self.about.get(example.id, ()))

    def rules_of(self, number: int) -> TextRules:
        """Return what text ``number`` has to keep to: the task's own for a single text."""
        return self.rules[number] if self.rules else TextRules(self.target, self.limits, self.keep)


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """One step of a search, for whoever watches: ``detail`` is the contract's, without calls and price."""

    stage: str
    generation: int
    message: str
    candidate: Mapping[str, Any] | None = None
    front: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "generation": self.generation,
            "candidate": None if self.candidate is None else dict(self.candidate),
            "front": list(self.front),
        }


@dataclass(frozen=True, slots=True)
class SearchPorts:
    """What a search may use.

    Attributes:
        ledger: runs and grades texts; the only way to a score.
        mutator: proposes texts.
        first_failed_gate: judges a whole text before anything is spent on it; ``None`` when it may be tried.
        log: where decisions are written.
        report: told of every step.
        may_spend: whether so many more calls leave enough for what comes after the search.
        feedback: what of a judge's feedback the mutator is shown.
        width: how many model calls may run at once.
    """

    ledger: ScoreLedger
    mutator: Mutator
    first_failed_gate: Callable[[str], GateResult | None] = lambda text: None
    log: DecisionLog = field(default_factory=DecisionLog)
    report: Callable[[SearchEvent], None] = lambda event: None
    may_spend: Callable[[int], bool] = lambda calls: True
    feedback: Callable[[str], str] = lambda text: text
    width: int = 4


@dataclass(frozen=True, slots=True)
class GenerationRecord:
    """What one generation tried and who was left after it."""

    stage: str
    generation: int
    candidates: tuple[Candidate, ...]
    scores: Mapping[str, Means]
    front: tuple[str, ...]
    best: str

    def to_json(self) -> dict[str, Any]:
        """Return ``{stage, generation, candidates: [{…, scores}], front, best}``."""
        return {
            "stage": self.stage,
            "generation": self.generation,
            "candidates": [
                {**c.to_json(), "scores": self.scores[c.id].to_json() if c.id in self.scores else None}
                for c in self.candidates
            ],
            "front": list(self.front),
            "best": self.best,
        }


@dataclass(frozen=True, slots=True)
class Finalist:
    """A candidate that was measured on validation examples beside the live text.

    Attributes:
        measurement: its graded answers on the validation examples.
        means: its scores on the examples that every finalist and the live text share.
    """

    candidate: Candidate
    measurement: Measurement
    means: Means


@dataclass(frozen=True, slots=True)
class InstructionResult:
    """What a search found.

    Attributes:
        baseline: the candidate it began with (the section included, when there is one).
        live: the live text on the validation examples.
        live_means: its scores, on the same examples as every finalist's ``means``.
        finalists: best first; the baseline may be among them.
        stop_reason: ``done``, ``budget``, ``nothing-to-improve`` or ``mutator-failed: …``.
    """

    baseline: Candidate
    live: Measurement
    live_means: Means
    history: tuple[Candidate, ...]
    generations: tuple[GenerationRecord, ...]
    front: tuple[str, ...]
    finalists: tuple[Finalist, ...]
    stop_reason: str = "done"

    @property
    def winner(self) -> Finalist:
        """The finalist with the best score."""
        return self.finalists[0]

    @property
    def delta(self) -> float:
        """What the winner gained over the search's baseline, on the same examples."""
        start = next((f.means for f in self.finalists if f.candidate.id == self.baseline.id), self.live_means)
        return self.winner.means.overall - start.overall

    @property
    def improved(self) -> bool:
        return self.delta > 0 and self.winner.candidate.id != self.baseline.id

    def development_pairs(self, finalist: Finalist) -> list[tuple[float, float]]:
        """Return (live, finalist) scores on the validation examples that both have."""
        return paired(self.live, finalist.measurement)


class InstructionSearch(Protocol):
    """A way to search for a better instruction."""

    async def search(self, task: InstructionTask, ports: SearchPorts) -> InstructionResult:
        """Search. Raises TooManyUnscored, BudgetExceeded or Interrupted."""
        ...

    def calls(
        self, train: Sequence[Example], validation: Sequence[Example], *, live_may_differ: bool = False
    ) -> tuple[int, int]:
        """Return the fewest and the most model calls that ``search`` may need on such examples.

        ``live_may_differ``: whether the search may begin from another text than the live one (a new section).
        """
        ...
