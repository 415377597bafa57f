"""What a running search has measured so far, as its progress events tell it.

A race measures each text on other cases, the hard ones first, until it is beaten or worth more. Scores from different
cases are not compared: one group of texts that share their cases is, and every other text stands apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from honeyguide.desktop.models.candidates import Candidate

STAGE = "instruction"


@dataclass(frozen=True, slots=True)
class Measured:
    """A text as it was measured last.

    Attributes:
        cases: stands for the cases; the same for texts that can be compared.
        calls, usd: what the run had taken by then; ``usd`` is ``None`` when that is not known.
    """

    candidate: Candidate
    cases: str
    calls: int
    usd: float | None


class LiveSearch:
    """Keeps the newest measurement of every text."""

    def __init__(self) -> None:
        self._measured: dict[str, Measured] = {}

    def take(self, data: Mapping[str, Any]) -> bool:
        """Take one progress event (``{phase, message, detail}``); says whether it told of a measured text."""
        detail = data.get("detail") or {}
        told = detail.get("candidate") or {}
        scores = told.get("scores") or {}
        if detail.get("stage") != STAGE or not told.get("id") or not scores.get("n"):
            return False
        usd, calls, chars = detail.get("usd"), int(detail.get("calls") or 0), scores.get("chars")
        candidate = Candidate(
            id=str(told["id"]),
            parent=told.get("parent"),
            strategy=str(told.get("strategy") or ""),
            generation=int(detail.get("generation") or 0),
            scores={
                str(k): float(v) for k, v in scores.items() if k not in ("n", "chars") and isinstance(v, int | float)
            },
            complexity=told.get("complexity"),
            chars=chars if isinstance(chars, int) else 0,
            is_baseline=told.get("parent") is None,
            calls=calls,
        )
        cases = str(scores.get("cases") or f"{scores['n']} cases")
        spent = float(usd) if isinstance(usd, int | float) else None
        self._measured[candidate.id] = Measured(candidate, cases, calls, spent)
        return True

    def measured(self) -> list[Measured]:
        """Return every text, in the order in which they came; those apart say so in ``is_comparable``."""
        compared = self._compared()
        return [
            replace(one, candidate=replace(one.candidate, is_comparable=one.cases == compared))
            for one in self._measured.values()
        ]

    def baseline(self) -> float | None:
        """Return the score of the live text, when it was measured on the cases that are compared."""
        compared = self._compared()
        found = (one for one in self._measured.values() if one.candidate.is_baseline and one.cases == compared)
        return next((one.candidate.overall for one in found), None)

    def _compared(self) -> str | None:
        """Return the cases that most texts share; the live text's own while no two texts share any."""
        counts = Counter(one.cases for one in self._measured.values())
        if not counts:
            return None
        most, count = counts.most_common(1)[0]
        if count > 1:
            return most
        own = (one.cases for one in self._measured.values() if one.candidate.is_baseline)
        return next(own, most)
