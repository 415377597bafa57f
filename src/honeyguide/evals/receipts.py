"""Receipts: the hashes of everything that decided a verification, and whether they still hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import InvalidInput

FORMAT: Final = 1
IN_WORDS: Final[Mapping[str, str]] = {
    "baseline": "the current text",
    "candidate": "the proposed text",
    "holdout": "the sealed examples",
    "dataset": "the dataset",
    "inputs": "the recorded inputs",
    "development": "the development measurements",
    "judge_model": "the judge's model",
    "judge_prompt": "the judge's instructions or settings",
    "executor_model": "the model that answers",
    "executor_settings": "the settings of the model that answers",
    "checks": "the kinds of checks",
    "product": "Honeyguide's version",
    "seed": "the seed",
    "repeats": "the number of verdicts per case",
    "thresholds": "the thresholds of the verification",
    "suite": "the eval suite",
    "cases": "the cases of the eval suite",
    "look": "the number of looks at the sealed examples",
    "together": "which texts were measured together",
    "gates": "the options of the gates",
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What decided, part by part.

    Attributes:
        parts: name of the part -> SHA-256 of it, or a short plain value where that says more (a model, the version).
    """

    parts: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 over all parts."""
        return fingerprint({"format": FORMAT, "parts": dict(self.parts)})

    def to_json(self) -> dict[str, Any]:
        """Return ``{"format", "digest", "parts"}``."""
        return {"format": FORMAT, "digest": self.digest, "parts": dict(sorted(self.parts.items()))}

    @classmethod
    def from_json(cls, data: object) -> Receipt:
        """Read a receipt. Raises InvalidInput when it is not one, or its digest does not fit its parts."""
        if not isinstance(data, Mapping) or not isinstance(data.get("parts"), Mapping):
            raise InvalidInput("This is not a receipt.")
        if data.get("format") != FORMAT:
            raise InvalidInput("This receipt was written by another version and cannot be compared.")
        receipt = cls({str(name): str(value) for name, value in data["parts"].items()})
        if data.get("digest") != receipt.digest:
            raise InvalidInput("The receipt was changed after it was written: its digest does not fit.")
        return receipt


@dataclass(frozen=True, slots=True)
class ReceiptState:
    """Whether a receipt still speaks of the present, and if not, why not, in words."""

    is_stale: bool
    reasons: tuple[str, ...] = ()


def compare(recorded: Receipt, current: Receipt) -> ReceiptState:
    """Compare a receipt with what the same measurement would rest on now.

    Parts that ``current`` does not know are not compared: what cannot be recomputed is not called changed.
    """
    reasons = []
    for name, value in sorted(current.parts.items()):
        words = IN_WORDS.get(name, name)
        if name not in recorded.parts:
            reasons.append(f"The receipt says nothing of {words}.")
        elif recorded.parts[name] != value:
            reasons.append(f"{words[0].upper()}{words[1:]} changed since.")
    return ReceiptState(bool(reasons), tuple(reasons))
