"""What all answers say of all edits in play, in arrays: counted a few answers at a time, weighed all at once.

Every answer tells of every edit; see ``weighing`` for what is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.likelihood import Numbers
from honeyguide.evolution.racing.switches import Answer, Switch
from honeyguide.evolution.racing.weighing import NARROW, UNLIKE, WHOLE, Watched, chances, most_likely_kind

LOST = 0.05
"""A score this low says nothing of single kinds of failure: the whole answer was lost."""
NAMED = 8.0
"""How much likelier an edit was made for a kind of failure that it names than for another one shown with it."""
KINDS = 12
"""Most kinds of failure that an edit is watched on."""
ROWS = 32


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
        bits: their bits in masks, by row.
        focus: ``(rows, examples)``: 1 where the edit speaks about the example.
        narrow: ``(rows, 2, 3)``, see ``Record``.
        chance: how likely each helps, as of the last look.
        clashes: which two of them stand for the same line.
        rivals: for each kept edit that has any: its bit, and the bits of those on trial that would replace it.
        rows_with_rivals: rows of those on trial that stand for the same line as one before them.
        version: another number whenever anything of this has changed.
    """

    def __init__(self, examples: int) -> None:
        self.rows: list[Switch] = []
        self.bits: list[int] = []
        self.trials = 0
        self.version = 0
        self.rivals: list[tuple[int, int]] = []
        self.rows_with_rivals: list[int] = []
        self.clashes: npt.NDArray[np.bool_] = np.zeros((ROWS, ROWS), bool)
        self._together: Numbers = np.zeros((ROWS, ROWS))
        self._went_together: list[Numbers] = []
        self._kind_ids: dict[str, int] = {}
        self._kind: npt.NDArray[np.intp] = np.zeros((ROWS, KINDS), np.intp)
        self._most_kinds = 0
        self._numbers: npt.NDArray[np.intp] = np.zeros(0, np.intp)
        self._examples = examples
        self._watched: Watched | None = None
        self._set_table(np.zeros((ROWS, examples + 2 * 2 * 3 + KINDS * 4 + 3)))

    def _set_table(self, table: Numbers) -> None:
        """Everything that is a number stands in one table, so that a row is moved at once."""
        rows, ends = len(table), self._examples + np.cumsum((0, 2 * 2 * 3, KINDS * 4))
        self._table = table
        self.focus = table[:, : ends[0]]
        self._scores = table[:, ends[0] : ends[1]].reshape(rows, 2, 2, 3)
        self.narrow = self._scores[:, NARROW]
        self._kinds = table[:, ends[1] : ends[2]].reshape(rows, KINDS, 2, 2)
        self.chance, self._doubt, self._speaks = table[:, ends[2] :].T

    # ---- who is in play --------------------------------------------------------------------------------------

    def enter(self, switch: Switch, record: Record, chance: float, rivals: Iterable[Switch]) -> None:
        """Put an edit on trial.

        Args:
            chance: how likely it helps until it is looked at.
            rivals: those in play of which only one at a time may be on.
        """
        self.together()
        if len(self.rows) == len(self.chance):
            self._grow()
        self.rows.append(switch)
        self.bits.append(switch.bit)
        row = len(self.rows) - 1
        self.chance[row] = chance
        self.focus[row] = 0.0
        self.focus[row, sorted(switch.focus)] = 1.0
        self._speaks[row] = bool(switch.focus)
        self._doubt[row] = UNLIKE**2 / max(len(switch.focus), 1)
        self._scores[row, WHOLE], self._scores[row, NARROW] = record.whole, record.narrow
        self._kinds[row] = record.kinds
        self._together[row], self._together[:, row] = 0.0, 0.0
        self.clashes[row], self.clashes[:, row] = False, False
        for rival in rivals:
            other = self.rows.index(rival)
            self.clashes[row, other] = self.clashes[other, row] = True
        self._set_kinds(row)
        self._swap(row, self.trials)
        self.trials += 1
        self._has_changed()

    def keep(self, switch: Switch, share: float) -> None:
        """Move an edit from those on trial to those kept. From now on it is watched on the kinds that it names, and
        on the one that it most likely makes rarer; what was counted weighs ``share``."""
        self.together()
        row = self.rows.index(switch)
        best = most_likely_kind(self._kinds[row], _weights(switch)) if switch.kinds else -1
        stay = [i for i, kind in enumerate(switch.kinds) if kind in switch.named or i == best]
        switch.kinds = tuple(switch.kinds[i] for i in stay)
        counts = self._kinds[row][stay] * share
        self._kinds[row] = 0.0
        self._kinds[row, : len(stay)] = counts
        self._scores[row] *= share
        self._set_kinds(row)
        self.trials -= 1
        self._swap(row, self.trials)
        self._has_changed()

    def leave(self, switch: Switch) -> None:
        """Take a dropped edit out; what is known of it stays in its record."""
        self.together()
        row = self.rows.index(switch)
        scores = self._scores[row].copy()
        switch.record = Record(scores[WHOLE], scores[NARROW], self._kinds[row].copy())
        if row < self.trials:
            self.trials -= 1
            self._swap(row, self.trials)
            row = self.trials
        self._swap(row, len(self.rows) - 1)
        self.rows.pop()
        self.bits.pop()
        self._has_changed()

    # ---- counting --------------------------------------------------------------------------------------------

    def went_together(self, signs: Numbers) -> None:
        """Note which of those on trial were on (1) and which off (-1) in a combination."""
        self._went_together.append(signs)

    def together(self) -> Numbers:
        """Return how often two edits on trial were both on or both off, less how often they were not."""
        if self._went_together:
            signs = np.array(self._went_together)
            self._together[: self.trials, : self.trials] += signs.T @ signs
            self._went_together.clear()
        return self._together[: self.trials, : self.trials]

    def count(self, answers: Sequence[Answer]) -> None:
        """Count answers for every edit in play; unscored ones tell nothing."""
        scored = [(a.example, a.mask, a.score, a.kinds, a.expected) for a in answers if a.score is not None]
        size, many = len(self.rows), len(scored)
        if not scored or not size:
            return
        self.version += 1
        examples, masks, scores, kinds, expected = zip(*scored, strict=True)
        sides = np.empty((2, size, 2, many))
        sides[WHOLE, :, 0] = on = self._on(masks)
        sides[WHOLE, :, 1] = 1.0 - on
        sides[NARROW] = sides[WHOLE] * self.focus[:size].take(examples, axis=1)[:, None]
        values = np.ones((2, many, 3))
        values[NARROW, :, 1] = scores
        values[WHOLE, :, 1] = values[NARROW, :, 1] - expected
        values[:, :, 2] = values[:, :, 1] * values[:, :, 1]
        sums = sides.reshape(2, 2 * size, many) @ values
        self._scores[:size] += sums.reshape(2, size, 2, 3).swapaxes(0, 1)
        if self._most_kinds:
            self._count_kinds(sides[WHOLE].swapaxes(1, 2), kinds, values[NARROW, :, 1] > LOST)

    def _on(self, masks: Sequence[int]) -> Numbers:
        """Return which edits were on, ``(edits, masks)``."""
        width = max(max(masks).bit_length(), int(self._numbers.max()) + 1) // 8 + 1
        written = b"".join([mask.to_bytes(width, "little") for mask in masks])
        bits = np.unpackbits(np.frombuffer(written, np.uint8).reshape(-1, width), axis=1, bitorder="little")
        on: Numbers = bits.T[self._numbers].astype(np.float64)
        return on

    def _count_kinds(self, sides: Numbers, kinds: Sequence[frozenset[str]], alive: npt.NDArray[np.bool_]) -> None:
        """``sides``: ``(edits, answers, 2)``."""
        ids, most = self._kind_ids, self._most_kinds
        shown = np.zeros((len(ids) + 1, len(kinds)))
        for place, found in enumerate(kinds):
            for kind in found:
                if kind in ids:
                    shown[ids[kind], place] = 1.0
        has = shown[self._kind[: len(self.rows), :most]]
        counts = self._kinds[: len(self.rows), :most]
        counts[..., 0] += np.maximum(has, alive) @ sides
        counts[..., 1] += has @ sides

    def fade_kept(self, share: float) -> None:
        """Let what was counted so far for kept edits weigh ``share`` of what it did."""
        for sums in (self._scores, self._kinds):
            sums[self.trials : len(self.rows)] *= share

    def look(self, priors: Numbers) -> None:
        """Weigh the evidence. ``priors``: how likely each helps before its own answers are counted, by row."""
        size = len(self.rows)
        if not size:
            return
        self.version += 1
        scores = self._scores[:size]
        if self._watched is None:
            self._watched = Watched.of([_weights(switch) for switch in self.rows])
        self.chance[:size] = chances(scores, self._kinds, self._watched, self._doubt[:size], priors)
        tried = np.where(self._speaks[:size, None], scores[:, NARROW, :, 0], scores[:, WHOLE, :, 0]).tolist()
        for switch, chance, (with_it, without) in zip(self.rows, self.chance[:size].tolist(), tried, strict=True):
            switch.chance, switch.tried, switch.compared = chance, with_it, without

    # ---- rows ------------------------------------------------------------------------------------------------

    def _set_kinds(self, row: int) -> None:
        switch = self.rows[row]
        switch.kinds = switch.kinds[:KINDS]
        self._kind[row] = 0
        for place, kind in enumerate(switch.kinds):
            self._kind[row, place] = self._kind_ids.setdefault(kind, len(self._kind_ids) + 1)

    def _swap(self, one: int, other: int) -> None:
        if one == other:
            return
        there, back = [one, other], [other, one]
        for array in (self._table, self._kind, self._together, self.clashes):
            array[there] = array[back]
        for square in (self._together, self.clashes):
            square[:, there] = square[:, back]
        self.rows[one], self.rows[other] = self.rows[other], self.rows[one]
        self.bits[one], self.bits[other] = self.bits[other], self.bits[one]

    def _grow(self) -> None:
        """Make room for as many edits again."""
        rows = len(self._table)
        self._set_table(np.pad(self._table, ((0, rows), (0, 0))))
        self._kind = np.pad(self._kind, ((0, rows), (0, 0)))
        self._together, self.clashes = np.pad(self._together, (0, rows)), np.pad(self.clashes, (0, rows))

    def _has_changed(self) -> None:
        self.version += 1
        self._watched = None
        self._numbers = np.array([switch.number for switch in self.rows], np.intp)
        self._most_kinds = max((len(switch.kinds) for switch in self.rows), default=0)
        self.rivals, self.rows_with_rivals = [], []
        size, trials = len(self.rows), self.trials
        if not self.clashes[:size, :trials].any():
            return
        for row in range(size):
            before = np.flatnonzero(self.clashes[row, : min(row, trials)]).tolist()
            if before and row < trials:
                self.rows_with_rivals.append(row)
            elif before:
                self.rivals.append((self.bits[row], sum(self.bits[other] for other in before)))


def _weights(switch: Switch) -> list[float]:
    """How likely the edit was made for each of its kinds of failure, against each other."""
    return [NAMED if kind in switch.named else 1.0 for kind in switch.kinds]
