"""What all answers say of all edits in play, in arrays: counted a few answers at a time, weighed all at once.

Every answer tells of every edit. Three things are compared between answers with an edit and without it: the score on
the examples that it speaks about (narrow), how often the kinds of failure appear that it may have been made for, and
the score on all examples, less what such an example scores (whole).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.likelihood import Numbers, failures_fall, score_rises
from honeyguide.evolution.racing.switches import Answer, Switch

LOST = 0.05
"""A score this low says nothing of single kinds of failure: the whole answer was lost."""
FEWER = (0.2, 0.4, 0.85)
"""Shares of a kind of failure that an edit which helps may take away."""
MORE = (-0.6,)
RISES = (0.15, 0.4, 0.9)
"""What such an edit may win of what is missing on the examples it speaks about; or lose of what is there."""
UNLIKE = 0.25
"""How differently (as a standard deviation) one edit works on one example and another that it speaks about."""
STEPS = (0.04, 0.1)
"""By how much it may lift the mean score of all examples."""
STEPS_WEIGHT = 0.7
"""All examples tell the same again, with more noise; so that evidence is not counted in full."""
NAMED = 8.0
"""How much likelier an edit was made for a kind of failure that it names than for another one shown with it."""
NO_EFFECT = 0.6
"""The share of "changes nothing" among edits that do not help; the rest harms."""
KINDS = 12
"""Most kinds of failure that an edit is watched on."""
ROWS = 32
_MOST = 50.0


@dataclass(slots=True, eq=False)
class Record:
    """What is known of one edit.

    Attributes:
        whole, narrow: ``(2, 3)``: on and off; count, sum and sum of squares.
        kinds: ``(KINDS, 2, 2)``: on and off; answers, and failures of the kind among them.
    """

    whole: Numbers
    narrow: Numbers
    kinds: Numbers

    @classmethod
    def empty(cls) -> Record:
        return cls(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((KINDS, 2, 2)))

    def fade(self, share: float) -> None:
        """Let what was counted so far weigh ``share`` of what it did."""
        for sums in (self.whole, self.narrow, self.kinds):
            sums *= share


class Tally:
    """The edits in play: the first ``trials`` rows are on trial, those after them are kept.

    Attributes:
        rows: the edits, by row.
        focus: ``(rows, examples)``: 1 where the edit speaks about the example.
        narrow: ``(rows, 2, 3)``, see ``Record``.
        together: how often two edits on trial were both on or both off, less how often they were not.
        clashes: which two of them stand for the same line.
        rivals: for each kept edit that has any: its bit, and the bits of those on trial that would replace it.
        rows_with_rivals: rows of those on trial that stand for the same line as one before them.
        chance: how likely each helps, as of the last look.
    """

    def __init__(self, examples: int) -> None:
        self.rows: list[Switch] = []
        self.trials = 0
        self._bits: list[int] = []
        self._kind_ids: dict[str, int] = {}
        self.focus: Numbers = np.zeros((ROWS, examples))
        self.narrow: Numbers = np.zeros((ROWS, 2, 3))
        self.together: Numbers = np.zeros((ROWS, ROWS))
        self.clashes: npt.NDArray[np.bool_] = np.zeros((ROWS, ROWS), bool)
        self.chance: Numbers = np.zeros(ROWS)
        self._whole: Numbers = np.zeros((ROWS, 2, 3))
        self._kinds: Numbers = np.zeros((ROWS, KINDS, 2, 2))
        self._kind: npt.NDArray[np.intp] = np.zeros((ROWS, KINDS), np.intp)
        self._weight: Numbers = np.full((ROWS, KINDS), -np.inf)
        self._watched: Numbers = np.zeros(ROWS)
        self._doubt: Numbers = np.zeros(ROWS)
        self._speaks: npt.NDArray[np.bool_] = np.zeros((ROWS, 1), bool)
        self.rivals: list[tuple[int, int]] = []
        self.rows_with_rivals: list[int] = []

    # ---- who is in play --------------------------------------------------------------------------------------

    def enter(self, switch: Switch, record: Record, chance: float, rivals: Iterable[Switch]) -> None:
        """Put an edit on trial.

        Args:
            chance: how likely it helps until it is looked at.
            rivals: those in play of which only one at a time may be on.
        """
        if len(self.rows) == len(self.chance):
            self._grow()
        self.rows.append(switch)
        self._bits.append(switch.bit)
        row = len(self.rows) - 1
        self.chance[row] = chance
        self.focus[row] = 0.0
        self.focus[row, sorted(switch.focus)] = 1.0
        self._speaks[row] = bool(switch.focus)
        self._doubt[row] = UNLIKE**2 / max(len(switch.focus), 1)
        self.narrow[row], self._whole[row], self._kinds[row] = record.narrow, record.whole, record.kinds
        self.together[row], self.together[:, row] = 0.0, 0.0
        self.clashes[row], self.clashes[:, row] = False, False
        for rival in rivals:
            other = self.rows.index(rival)
            self.clashes[row, other] = self.clashes[other, row] = True
        self._set_kinds(row)
        self._swap(row, self.trials)
        self.trials += 1
        self._look_for_clashes()

    def keep(self, switch: Switch, share: float) -> None:
        """Move an edit from those on trial to those kept. From now on it is watched on the kinds that it names, and
        on the one that it most likely makes rarer; what was counted weighs ``share``."""
        row = self.rows.index(switch)
        ratios = failures_fall(self._kinds[row], FEWER) + self._weight[row]
        best = int(np.argmax(ratios)) if switch.kinds else -1
        stay = [i for i, kind in enumerate(switch.kinds) if kind in switch.named or i == best]
        switch.kinds = tuple(switch.kinds[i] for i in stay)
        counts = self._kinds[row][stay] * share
        self._kinds[row] = 0.0
        self._kinds[row, : len(stay)] = counts
        self._whole[row] *= share
        self.narrow[row] *= share
        self._set_kinds(row)
        self.trials -= 1
        self._swap(row, self.trials)
        self._look_for_clashes()

    def leave(self, switch: Switch) -> None:
        """Take a dropped edit out; what is known of it stays in its record."""
        row = self.rows.index(switch)
        switch.record = Record(self._whole[row].copy(), self.narrow[row].copy(), self._kinds[row].copy())
        if row < self.trials:
            self.trials -= 1
            self._swap(row, self.trials)
            row = self.trials
        self._swap(row, len(self.rows) - 1)
        self.rows.pop()
        self._bits.pop()
        self._look_for_clashes()

    # ---- counting --------------------------------------------------------------------------------------------

    def count(self, answers: Sequence[Answer]) -> None:
        """Count answers for every edit in play; unscored ones tell nothing."""
        scored = [answer for answer in answers if answer.score is not None]
        size = len(self.rows)
        if not scored or not size:
            return
        bits = self._bits
        on = np.array([[bool(answer.mask & bit) for bit in bits] for answer in scored], float)
        sides = np.stack((on, 1.0 - on), axis=2)
        scores = np.array([answer.score for answer in scored])
        change = scores - [answer.expected for answer in scored]
        ones = np.ones(len(scored))
        self._whole[:size] += _sums(sides, np.stack((ones, change, change * change), axis=1))
        spoken = sides * self.focus[:size, [answer.example for answer in scored]].T[:, :, None]
        self.narrow[:size] += _sums(spoken, np.stack((ones, scores, scores * scores), axis=1))
        shown = np.zeros((len(scored), len(self._kind_ids) + 1))
        for place, answer in enumerate(scored):
            for kind in answer.kinds:
                if kind in self._kind_ids:
                    shown[place, self._kind_ids[kind]] = 1.0
        has = shown[:, self._kind[:size]].transpose(1, 2, 0)
        counted = np.maximum(has, scores > LOST)
        by_row = sides.transpose(1, 0, 2)
        self._kinds[:size, :, :, 0] += counted @ by_row
        self._kinds[:size, :, :, 1] += has @ by_row

    def fade_kept(self, share: float) -> None:
        """Let what was counted so far for kept edits weigh ``share`` of what it did."""
        for sums in (self._whole, self.narrow, self._kinds):
            sums[self.trials : len(self.rows)] *= share

    def look(self, priors: Numbers) -> None:
        """Weigh the evidence. ``priors``: how likely each helps before its own answers are counted, by row."""
        size = len(self.rows)
        if not size:
            return
        whole, narrow, kinds = self._whole[:size], self.narrow[:size], self._kinds[:size]
        helps, harms = score_rises(whole, *STEPS)
        helps *= STEPS_WEIGHT
        harms *= STEPS_WEIGHT
        weight, watched = self._weight[:size], self._watched[:size]
        fewer = np.logaddexp.reduce(failures_fall(kinds, FEWER) + weight, axis=1)
        helps += np.where(watched > 0.0, fewer, 0.0)
        more = np.logaddexp.reduce(np.where(weight > -np.inf, failures_fall(kinds, MORE), -np.inf), axis=1)
        harms += np.maximum(more - np.log(np.maximum(watched, 1.0)), 0.0)
        count = narrow[:, :, 0]
        means = narrow[:, :, 1] / np.maximum(count, 1e-9)
        level = 0.5 * (means[:, 0] + means[:, 1])
        missing, there = np.maximum(1.0 - level, 0.1), np.maximum(level, 0.1)
        doubt = self._doubt[:size]
        helps += score_rises(narrow, *(rise * missing for rise in RISES), doubt=doubt)[0]
        harms += score_rises(narrow, *(rise * there for rise in RISES), doubt=doubt)[1]
        good = np.exp(np.minimum(helps, _MOST)) * priors
        bad = np.exp(np.minimum(harms, _MOST)) * (1.0 - priors) * (1.0 - NO_EFFECT)
        self.chance[:size] = good / (good + bad + (1.0 - priors) * NO_EFFECT)
        tried = np.where(self._speaks[:size], count, whole[:, :, 0]).tolist()
        for switch, chance, (with_it, without) in zip(self.rows, self.chance[:size].tolist(), tried, strict=True):
            switch.chance, switch.tried, switch.compared = chance, with_it, without

    # ---- rows ------------------------------------------------------------------------------------------------

    def _set_kinds(self, row: int) -> None:
        switch = self.rows[row]
        switch.kinds = switch.kinds[:KINDS]
        ids = [self._kind_ids.setdefault(kind, len(self._kind_ids) + 1) for kind in switch.kinds]
        weights = np.array([NAMED if kind in switch.named else 1.0 for kind in switch.kinds])
        self._kind[row], self._weight[row], self._watched[row] = 0, -np.inf, len(ids)
        if ids:
            self._kind[row, : len(ids)] = ids
            self._weight[row, : len(ids)] = np.log(weights / weights.sum())

    def _swap(self, one: int, other: int) -> None:
        if one == other:
            return
        for array in self._by_row():
            held = array[one].copy()
            array[one] = array[other]
            array[other] = held
        for square in (self.together, self.clashes):
            column = square[:, one].copy()
            square[:, one] = square[:, other]
            square[:, other] = column
        self.rows[one], self.rows[other] = self.rows[other], self.rows[one]
        self._bits[one], self._bits[other] = self._bits[other], self._bits[one]

    def _by_row(self) -> tuple[npt.NDArray[Any], ...]:
        return (
            self.focus, self.narrow, self.together, self.clashes, self.chance[:, None],
            self._whole, self._kinds, self._kind, self._weight,
            self._watched[:, None], self._speaks, self._doubt[:, None],
        )  # fmt: skip

    def _grow(self) -> None:
        self.focus, self.narrow, self.chance = _longer(self.focus), _longer(self.narrow), _longer(self.chance)
        self._whole, self._kinds, self._kind = _longer(self._whole), _longer(self._kinds), _longer(self._kind)
        self._weight, self._watched, self._speaks = map(_longer, (self._weight, self._watched, self._speaks))
        self._doubt = _longer(self._doubt)
        self.together = np.pad(self.together, (0, len(self.together)))
        self.clashes = np.pad(self.clashes, (0, len(self.clashes)))

    def _look_for_clashes(self) -> None:
        self.rivals, self.rows_with_rivals = [], []
        size, trials = len(self.rows), self.trials
        if not self.clashes[:size, :trials].any():
            return
        for row in range(size):
            before = np.flatnonzero(self.clashes[row, : min(row, trials)]).tolist()
            if before and row < trials:
                self.rows_with_rivals.append(row)
            elif before:
                self.rivals.append((self._bits[row], sum(self._bits[other] for other in before)))


def _longer(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ``array`` with as many more rows, empty."""
    return np.concatenate((array, np.zeros_like(array)))


def _sums(sides: Numbers, values: Numbers) -> Numbers:
    """Return ``(rows, 2, values)``: the sums of ``values`` (answers, values) over the answers of each side."""
    answers, rows, _ = sides.shape
    return (sides.reshape(answers, 2 * rows).T @ values).reshape(rows, 2, -1)
