"""What a verification is: the numbers, the finding, and the words for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evals.betting import in_words
from honeyguide.evals.findings import LABELS, Finding, StakePlan, Thresholds
from honeyguide.evals.measuring import PairEvidence
from honeyguide.evals.receipts import Receipt
from honeyguide.evals.slices import SliceResult
from honeyguide.evals.statistics import Interval
from honeyguide.kernel.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class VerificationOptions:
    """How a verification is made.

    Attributes:
        repeats: verdicts per side and example.
        look: number of this look at the holdout, from the ledger.
        confidence: of the interval and the noise floor.
        concurrency: evaluations under way at once.
        failed_guards: names of guards outside the measurement that fell.
    """

    thresholds: Thresholds = field(default_factory=Thresholds)
    repeats: int = 2
    look: int = 1
    seed: int = 1
    confidence: float = 0.95
    concurrency: int = 8
    failed_guards: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.repeats < 1 or self.concurrency < 1:
            raise InvalidInput("Repeats and concurrency must be at least 1.")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was measured and what may be said of it.

    Attributes:
        n: examples on which both texts have a verdict; ``planned``: examples that were to be measured.
        baseline, candidate, delta: mean scores over the ``n`` pairs, and their difference; ``None`` without a pair.
        interval: paired-bootstrap interval of ``delta`` for ``confidence``.
        p_value: 1 / the highest e-value, valid however often one looks; ``sign_p``: the exact one-sided sign test.
        noise_floor: how far ``delta`` would stray if nothing had changed; ``None`` when it cannot be known.
        unscored: missing verdicts, of ``verdicts`` asked for; ``unscored_reasons`` counts why.
        e_value, bar, look: the evidence for a gain, what it has to reach, and the number of this look.
        smallest_lift: the smallest gain these examples could have shown; ``None``: not any.
        more_examples, more_repeats: what would likely decide it; ``None`` when it would not, or is not needed.
        stopped: why not all was measured: ``""``, ``harm``, ``judge``, ``budget``.
    """

    outcome: Finding
    reason: str
    because: str
    n: int
    planned: int
    repeats: int
    baseline: float | None
    candidate: float | None
    delta: float | None
    interval: Interval | None
    confidence: float
    p_value: float
    sign_p: float
    noise_floor: float | None
    unscored: int
    verdicts: int
    wins: int
    ties: int
    losses: int
    e_value: float
    safety_e_value: float
    harm_e_value: float
    bar: float
    look: int
    correctness_delta: float | None
    unscored_reasons: Mapping[str, int]
    slices: tuple[SliceResult, ...]
    smallest_lift: float | None
    more_examples: int | None
    more_repeats: int | None
    stopped: str = ""
    receipt: Receipt | None = None

    @property
    def label(self) -> str:
        """The words a person reads."""
        return LABELS[self.outcome]

    @property
    def sentence(self) -> str:
        """The measurement in one or two plain sentences."""
        if self.delta is None or self.interval is None:
            return self.because
        text = f"Better on {self.wins} of {self.n} unseen cases, worse on {self.losses}; "
        text += f"gain {_points(self.interval.low)} to {_points(self.interval.high)} points"
        return text + (f", noise ±{_points(self.noise_floor)}." if self.noise_floor is not None else ".")

    @property
    def advice(self) -> str:
        """What would likely decide what is still open; empty when nothing is."""
        if self.reason == "judge-not-usable":
            return "Try another judge, or look at why its replies cannot be used."
        ways = []
        if self.more_examples:
            ways.append(f"about {self.more_examples} more examples")
        if self.more_repeats:
            ways.append(f"{self.more_repeats} verdicts per case in place of {self.repeats}")
        if ways:
            text = " or ".join(ways)
            goal = "decide it" if self.outcome is Finding.INCONCLUSIVE else "prove the gain"
            return f"{text[0].upper()}{text[1:]} would likely {goal}."
        if self.outcome is not Finding.INCONCLUSIVE or self.reason == "guard-fell":
            return ""
        if any(s.fell for s in self.slices):
            return "More examples like these would hardly decide it: it helps some and harms others."
        return "More examples like these would hardly decide it: the difference is too small."

    def to_json(self) -> dict[str, Any]:
        """Return the public shape; the first sixteen keys are the contract's, the others explain them."""
        return {
            "outcome": self.outcome.value,
            "label": self.label,
            "n": self.n,
            "repeats": self.repeats,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "delta": self.delta,
            "interval": None if self.interval is None else [self.interval.low, self.interval.high],
            "confidence": self.confidence,
            "p_value": self.p_value,
            "noise_floor": self.noise_floor,
            "unscored": self.unscored,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "receipt": None if self.receipt is None else self.receipt.to_json(),
            "reason": self.reason,
            "because": self.because,
            "sentence": self.sentence,
            "advice": self.advice,
            "evidence": {
                "e_value": self.e_value,
                "words": in_words(self.e_value),
                "bar": self.bar,
                "look": self.look,
                "safety": self.safety_e_value,
                "harm": self.harm_e_value,
                "sign_p": self.sign_p,
            },
            "planned": self.planned,
            "verdicts": self.verdicts,
            "stopped": self.stopped,
            "correctness_delta": self.correctness_delta,
            "unscored_reasons": dict(self.unscored_reasons),
            "slices": [s.to_json() for s in self.slices],
            "smallest_lift": self.smallest_lift,
            "more_examples": self.more_examples,
            "more_repeats": self.more_repeats,
        }


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """A verification with all it rests on; give it back as ``earlier`` to go on with more examples."""

    verification: Verification
    pairs: tuple[PairEvidence, ...]
    stakes: StakePlan


def _points(share: float) -> str:
    """Return a share of the score as points out of 100, without a minus before zero."""
    return f"{100 * share + 0.0:.0f}".replace("-0", "0") if abs(share) < 0.005 else f"{100 * share:.0f}"
