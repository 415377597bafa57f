"""What gates are given, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from honeyguide.evals.examples import Example
from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.prompts.limits import gate_limit
from honeyguide.prompts.locks import LockedPassage
from honeyguide.prompts.targets import TargetKind
from honeyguide.prompts.variables import Dialect

Verdict = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True)
class GateResult:
    """What one gate says of a candidate.

    Attributes:
        gate: its stable name.
        reason: one sentence with the numbers.
        detail: the raw numbers and pieces of text, plain JSON values.
        where: (start, end) in characters of the candidate, for the review to point at; ``None`` when it has no place.
    """

    gate: str
    verdict: Verdict
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    where: tuple[int, int] | None = None

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"

    def to_json(self) -> dict[str, Any]:
        """Return ``{gate, verdict, reason, detail}``, and ``where`` as a pair when there is a place."""
        data: dict[str, Any] = {
            "gate": self.gate, "verdict": self.verdict, "reason": self.reason, "detail": dict(self.detail)
        }  # fmt: skip
        if self.where is not None:
            data["where"] = list(self.where)
        return data


@dataclass(frozen=True, slots=True)
class GateScores:
    """Mean scores on the same development examples, in [0, 1]."""

    baseline: float
    candidate: float


@dataclass(frozen=True, slots=True)
class GateOptions:
    """The limits of the gates.

    Attributes:
        max_size: the most UTF-16 code units a text may have (the seed counts so); ``None`` leaves it to the kind.
        max_growth_ratio: how much longer than the baseline it may be (0.2 is 20 %, inclusive).
        max_regression: the lowest allowed change of the score (inclusive), at most 0.
        allow_empty: whether an empty text passes ``non-empty``.
        allow_memorised: whether spans of training examples may stand in the text; a person's word, kept on record.
        allow_looser: whether ``overridden`` may loosen a limit; set by the workspace's policy.
    """

    max_size: int | None = None
    max_growth_ratio: float = 0.2
    max_regression: float = -0.02
    allow_empty: bool = False
    allow_memorised: bool = False
    allow_looser: bool = False

    def __post_init__(self) -> None:
        if self.max_size is not None and self.max_size < 0:
            raise InvalidInput(f"The size limit {self.max_size} is negative.")
        if not 0 <= self.max_growth_ratio < float("inf"):
            raise InvalidInput(f"The growth limit {self.max_growth_ratio} is not a share of at least 0.")
        if not -1 <= self.max_regression <= 0:
            raise InvalidInput(f"The regression limit {self.max_regression} does not lie between -1 and 0.")

    def overridden(self, given: Mapping[str, Any], kind: TargetKind) -> GateOptions:
        """Return the options with ``given`` (the seed's spelling) on top.

        Keys: ``maxSize`` (a number, or numbers by kind), ``maxGrowthRatio``, ``maxRegression``, ``allowEmpty``.

        Raises:
            InvalidInput: an unknown key or an unusable value.
            PolicyRefused: a value is looser than what holds, and the policy does not allow that.
        """
        changes: dict[str, Any] = {}
        for key, value in given.items():
            if key == "maxSize":
                size = value.get(kind.value) if isinstance(value, Mapping) else value
                changes["max_size"] = None if size is None else int(_number(key, size))
            elif key in {"maxGrowthRatio", "maxRegression"}:
                changes["max_growth_ratio" if key == "maxGrowthRatio" else "max_regression"] = _number(key, value)
            elif key == "allowEmpty":
                if not isinstance(value, bool):
                    raise InvalidInput("The gate option allowEmpty is neither true nor false.")
                changes["allow_empty"] = value
            else:
                raise InvalidInput(
                    f"{key!r} is not a gate option.",
                    hint="Known options: maxSize, maxGrowthRatio, maxRegression, allowEmpty.",
                )
        wanted = replace(self, **{name: value for name, value in changes.items() if value is not None})
        loosened = self._loosened_by(wanted, kind)
        if loosened and not self.allow_looser:
            raise PolicyRefused(
                f"The gate option {loosened} would loosen a limit of this workspace.",
                hint="Tighter limits are always possible; looser ones must be allowed in the workspace's settings.",
            )
        return wanted

    def size_limit(self, kind: TargetKind) -> int | None:
        """Return the most UTF-16 code units a text of ``kind`` may have; ``None`` when only its program limits it."""
        if self.max_size is not None:
            return self.max_size
        limit = gate_limit(kind)
        return None if limit is None else limit.maximum

    def _loosened_by(self, wanted: GateOptions, kind: TargetKind) -> str:
        mine, theirs = self.size_limit(kind), wanted.size_limit(kind)
        if mine is not None and (theirs is None or theirs > mine):
            return "maxSize"
        if wanted.max_growth_ratio > self.max_growth_ratio:
            return "maxGrowthRatio"
        if wanted.max_regression < self.max_regression:
            return "maxRegression"
        return "allowEmpty" if wanted.allow_empty and not self.allow_empty else ""

    def to_json(self) -> dict[str, Any]:
        """Return every option, for receipts and the decision log."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


@dataclass(frozen=True, slots=True)
class GateInput:
    """A candidate beside its baseline, both as they would be deployed.

    Attributes:
        dialect: how variables are written in the target.
        not_variables: canonical spellings that a person said are no variables.
        locked: passages that a person locked.
        training: the examples that the search saw, for ``memorised``.
        carrier_checks: rules of the program that loads the file; each gets the candidate and gives a sentence for
            every rule that it breaks.
    """

    kind: TargetKind
    candidate: str
    baseline: str
    dialect: Dialect = Dialect.ANY
    not_variables: tuple[str, ...] = ()
    locked: tuple[LockedPassage, ...] = ()
    training: tuple[Example, ...] = ()
    carrier_checks: tuple[Callable[[str], Sequence[str]], ...] = ()


Gate = Callable[[GateInput, GateOptions, GateScores | None], GateResult]


def passed(gate: str, reason: str, **detail: Any) -> GateResult:
    return GateResult(gate, "pass", reason, detail)


def failed(gate: str, reason: str, *, where: tuple[int, int] | None = None, **detail: Any) -> GateResult:
    return GateResult(gate, "fail", reason, detail, where)


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise InvalidInput(f"The gate option {key} is not a number.")
    return value
