"""Kinds of failure, read from what judges and checks say of answers.

A judge words the same complaint in many ways; complaints that share their telling words are one kind. A kind keeps
the words of the complaint that founded it. The order in which answers are read matters, and is always the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.failures import GOOD_ENOUGH
from honeyguide.evolution.racing.relevance import words

MOST_COMPLAINTS = 6
"""Complaints of one answer that are read."""
LONGEST = 240
"""Characters of a complaint; longer ones are data, not complaints."""
ALIKE = 0.6
"""Share of the telling words that two complaints of one kind have in common."""
MOST_KINDS = 200
WEAK = 0.6
"""A score of one dimension under which the dimension is a kind, while the judge's words are new."""
_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_NUMBER = re.compile(r"\d+")


class Kinds(Protocol):
    """What reads the kinds of failure off an evaluation; one for each search. Asked in the order of the results."""

    def of(self, evaluation: Evaluation) -> tuple[str, ...]:
        """Return the kinds; none for a good answer."""
        ...


@dataclass(slots=True)
class KindBook:
    """Sorts complaints into kinds; remembers them."""

    _kinds: dict[str, frozenset[str]] = field(default_factory=dict)
    _uses: Counter[str] = field(default_factory=Counter)
    _known: dict[str, str] = field(default_factory=dict)
    _times: Counter[str] = field(default_factory=Counter)

    def of(self, evaluation: Evaluation) -> tuple[str, ...]:
        """Return the kinds of failure in an answer; none for a good or an unscored one."""
        score = evaluation.verdict.score
        if score is None or score.overall >= GOOD_ENOUGH:
            return ()
        found = list(dict.fromkeys(self._kind(complaint) for complaint in _complaints(evaluation.verdict.feedback)))
        self._times.update(found)
        if any(self._times[kind] > 1 for kind in found):
            return tuple(found)
        dimensions = {
            "correctness": score.correctness, "procedure": score.procedure, "conciseness": score.conciseness
        }  # fmt: skip
        weak = [f"low {name}" for name, value in dimensions.items() if value < WEAK]
        return (*found, *weak) or ("imperfect",)

    def _kind(self, complaint: str) -> str:
        known = self._known.get(complaint)
        if known is not None:
            return known
        telling = words(complaint)
        self._uses.update(telling)
        best, most = "", 0.0
        for kind, own in self._kinds.items():
            alike = self._alike(telling, own)
            if alike > most:
                best, most = kind, alike
        if most < ALIKE and len(self._kinds) < MOST_KINDS:
            best = complaint
            self._kinds[complaint] = telling
        self._known[complaint] = best or complaint
        return self._known[complaint]

    def _alike(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The share of the shorter complaint's words that the other has too, weighed by their rarity."""
        both = sum(1.0 / self._uses[word] for word in one & other)
        if not both:
            return 0.0
        return both / min(sum(1.0 / self._uses[word] for word in side) for side in (one, other))


def _complaints(feedback: str) -> list[str]:
    parts = (_NUMBER.sub("#", part).strip().lower() for part in _END.split(feedback))
    return [part for part in parts if 3 <= len(part) <= LONGEST and not part.startswith(("{", "["))][:MOST_COMPLAINTS]
