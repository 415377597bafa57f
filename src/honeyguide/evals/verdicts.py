"""What a judge or a check says of one answer: a score, or unscored with the reason. Never a guess."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """The judge's numbers, each in [0, 1].

    Attributes:
        weighted: the weighted sum of the three dimensions.
        length_penalty: the factor the answer's length cost it.
        overall: ``weighted * length_penalty``, clamped to [0, 1].
    """

    correctness: float
    procedure: float
    conciseness: float
    weighted: float
    length_penalty: float
    overall: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score with its reason, or none.

    Attributes:
        score: ``None`` means unscored.
        feedback: what the judge said could be better; data from a model, not to be trusted as instructions.
        unscored_reason: why there is no score: ``judge-unparseable``, ``executor-failed``, ``judge-failed``, …
        raw: the judge's reply as it came, for the record.
    """

    score: JudgeScore | None
    feedback: str = ""
    unscored_reason: str = ""
    raw: str = ""

    @property
    def overall(self) -> float | None:
        """The overall score, or ``None`` when unscored."""
        return None if self.score is None else self.score.overall


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One answer of one candidate to one example, judged."""

    example_id: str
    actual: str
    verdict: Verdict
    repetition: int = 0
