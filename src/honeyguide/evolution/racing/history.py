"""What earlier answers say of an edit that has just come about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.relevance import words
from honeyguide.evolution.racing.switches import Answer, Switch
from honeyguide.evolution.racing.tally import LOST, Record

Flags = npt.NDArray[np.bool_]

LOOKS_BACK = 300
"""How many earlier answers a new comparison looks back on."""


@dataclass(slots=True)
class History:
    """All answers so far, and the kinds of failure that were seen."""

    answers: list[Answer] = field(default_factory=list)
    _where: dict[str, list[int]] = field(default_factory=dict)
    _kind_words: Counter[str] = field(default_factory=Counter)
    _scored: Flags = field(default_factory=lambda: np.zeros(LOOKS_BACK, bool))
    _alive: Flags = field(default_factory=lambda: np.zeros(LOOKS_BACK, bool))

    def add(self, answer: Answer) -> None:
        for kind in answer.kinds:
            if kind not in self._where:
                self._where[kind] = []
                self._kind_words.update(words(kind))
            self._where[kind].append(len(self.answers))
        number = len(self.answers)
        if number == len(self._alive):
            self._alive, self._scored = (np.concatenate((array, array)) for array in (self._alive, self._scored))
        self._scored[number] = answer.score is not None
        self._alive[number] = answer.score is not None and answer.score > LOST
        self.answers.append(answer)

    def named_by(self, line: str) -> frozenset[str]:
        """Return the kinds of failure that share a word with ``line`` which most other kinds do not have."""
        spoken = words(line) & self._kind_words.keys()
        rare = {word for word in spoken if self._kind_words[word] <= max(2, len(self._where) // 3)}
        return frozenset(kind for kind in self._where if words(kind) & rare) if rare else frozenset()

    def record_of(self, switch: Switch, kept: int, beside: int) -> Record:
        """Return what the answers before its time say of a new edit: all were given without it.

        Args:
            kept: edits (as bits) that an answer must have had to be compared with answers from now on.
            beside: the same, for scores on the examples that it speaks about.
        """
        record = Record.empty()
        self.count_kinds(record, switch, range(len(switch.kinds)), kept)
        if switch.focus:
            recent = self.answers[-LOOKS_BACK:]
            scores = np.array([
                a.score for a in recent
                if a.example in switch.focus and a.score is not None and a.mask & beside == beside
            ])  # fmt: skip
            record.narrow[1] = len(scores), scores.sum(), (scores * scores).sum()
        return record

    def count_kinds(self, record: Record, switch: Switch, places: range, kept: int) -> None:
        """Count answers so far for the kinds at ``places`` of the edit's kinds."""
        if not places:
            return
        start = max(0, len(self.answers) - LOOKS_BACK)
        recent = self.answers[start:]
        fits = np.array([a.mask & kept == kept for a in recent], bool) & self._scored[start : len(self.answers)]
        alive = fits & self._alive[start : len(self.answers)]
        bit = switch.bit if switch.record is not None else 0  # a new edit was never on
        on = np.array([bool(a.mask & bit) for a in recent]) if bit else np.zeros(len(recent), bool)
        for place in places:
            has = np.zeros(len(recent), bool)
            has[[number - start for number in self._where.get(switch.kinds[place], ()) if number >= start]] = True
            has &= fits
            for side, there in enumerate((on, ~on)):
                record.kinds[place, side] = ((alive | has) & there).sum(), (has & there).sum()
