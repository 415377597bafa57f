"""Which hunk of a change earns the gain, and the shortest text that is as good.

The changed text is measured without each hunk in turn, on the same examples; a hunk that earns nothing and makes the
text longer is offered for dropping. What is offered together is measured together before it is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.evals.examples import Example
from honeyguide.evals.statistics import Interval, bootstrap_interval, mean
from honeyguide.evolution.candidates import Measurement, paired
from honeyguide.evolution.instruction_search import calls_for
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.versions.diff import Comparison, apply_hunks, hunks_of
from honeyguide.versions.diff import compare as compare_texts

MOST_HUNKS = 12
"""Changes in more places are not taken apart: it would cost more than it tells."""
MARGIN = 0.01
"""A mean score within which two texts count as equally good."""
CONFIDENCE = 0.8
Compare = Callable[[str, str], Comparison]
"""How two texts are compared; joined ones by their texts."""


@dataclass(frozen=True, slots=True)
class HunkGain:
    """What one hunk is worth.

    Attributes:
        number: the hunk's number, as the diff counts (from 1).
        gain: mean score with it minus without it, on ``n`` examples.
        interval: paired-bootstrap interval of the gain, 80 %.
        earns: whether the gain is above the margin.
        longer: characters that it adds; negative when it shortens.
    """

    number: int
    gain: float
    interval: Interval
    n: int
    earns: bool
    longer: int

    def to_json(self) -> dict[str, Any]:
        return {
            "hunk": self.number,
            "gain": round(self.gain, 6),
            "interval": [round(self.interval.low, 6), round(self.interval.high, 6)],
            "n": self.n,
            "earns": self.earns,
            "longer": self.longer,
        }


@dataclass(frozen=True, slots=True)
class Ablation:
    """The hunks of a change, and the shortest text that is as good.

    Attributes:
        droppable: numbers of the hunks that may go together; empty when none may.
        shortest: the text without them; the candidate itself when none may go.
    """

    hunks: tuple[HunkGain, ...]
    droppable: tuple[int, ...]
    shortest: str


def ablation_calls(live: str, candidate: str, examples: Sequence[Example], compare: Compare = compare_texts) -> int:
    """Return the most model calls that ``ablate`` makes; 0 when there is nothing to take apart."""
    hunks = len(hunks_of(compare(live, candidate)))
    texts = hunks + 2 if 2 <= hunks <= MOST_HUNKS else 0
    return texts * sum(calls_for(example) for example in examples)


def most_ablation_calls(examples: Sequence[Example]) -> int:
    """Return the most model calls that ``ablate`` makes of any change whose text was measured already."""
    return (MOST_HUNKS + 2) * sum(calls_for(example) for example in examples)


async def ablate(
    live: str,
    candidate: str,
    examples: Sequence[Example],
    ledger: ScoreLedger,
    *,
    seed: int,
    allowed: Callable[[str], bool] = lambda text: True,
    compare: Compare = compare_texts,
) -> Ablation:
    """Measure ``candidate`` without each of its hunks against ``live``; see the module.

    A change in one place, or in more than ``MOST_HUNKS``, is left whole.

    Args:
        examples: development examples; the holdout has no business here.
        allowed: whether a text passes the gates; others are neither run nor offered.

    Raises:
        TooManyUnscored, BudgetExceeded, Interrupted: from the ledger.
    """
    comparison = compare(live, candidate)
    numbers = [hunk.n for hunk in hunks_of(comparison)]
    if not 2 <= len(numbers) <= MOST_HUNKS or not examples:
        return Ablation((), (), candidate)
    without = {number: _without(comparison, numbers, {number}) for number in numbers}
    tried = {number: text for number, text in without.items() if allowed(text)}
    whole, *measured = await ledger.measure_all([candidate, *tried.values()], examples)
    gains = [
        _gain(number, whole, other, len(candidate) - len(text), seed)
        for (number, text), other in zip(tried.items(), measured, strict=True)
    ]
    idle = sorted((g for g in gains if not g.earns and g.longer > 0), key=lambda g: (g.gain, g.number))
    dropped = [gain.number for gain in idle]
    while dropped:
        text = _without(comparison, numbers, set(dropped))
        if text != live and allowed(text):
            loss = _mean_gain(whole, await ledger.measure(text, examples))
            if loss is not None and loss <= MARGIN:
                return Ablation(tuple(gains), tuple(sorted(dropped)), text)
        dropped = dropped[:1] if len(dropped) > 1 else []
    return Ablation(tuple(gains), (), candidate)


def worth_of(
    found: Ablation, live: str, left_out: Sequence[int] = (), compare: Compare = compare_texts
) -> dict[str, Any]:
    """Return what each change of the proposed text is worth, as artifacts hold it.

    Args:
        left_out: changes that the proposed text does without. The others are numbered as its own diff counts; where
            the two diffs do not fit together they have no number, and only what was left out is told.
    """
    kept = [hunk for hunk in found.hunks if hunk.number not in left_out]
    numbers = [hunk.n for hunk in hunks_of(compare(live, found.shortest))] if left_out else [h.number for h in kept]
    fits = len(numbers) == len(kept)
    hunks = [{**h.to_json(), "hunk": n} for h, n in zip(kept, numbers, strict=False)] if fits else []
    idle = [h["hunk"] for h in hunks if not h["earns"]]
    return {
        "hunks": hunks,
        "idle": idle,
        "leftOut": [h.to_json() for h in found.hunks if h.number in left_out],
    }


def _without(comparison: Comparison, numbers: Sequence[int], gone: set[int]) -> str:
    return apply_hunks(comparison, [number for number in numbers if number not in gone])


def _gain(number: int, whole: Measurement, without: Measurement, longer: int, seed: int) -> HunkGain:
    differences = [after - before for before, after in paired(without, whole)]
    gain = mean(differences) if differences else 0.0
    interval = bootstrap_interval(differences, seed, confidence=CONFIDENCE)
    return HunkGain(number, gain, interval, len(differences), not differences or gain > MARGIN, longer)


def _mean_gain(whole: Measurement, other: Measurement) -> float | None:
    differences = [before - after for before, after in paired(whole, other)]
    return mean(differences) if differences else None
