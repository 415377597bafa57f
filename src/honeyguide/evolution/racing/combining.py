"""Which combination of edits runs next, and on which example: what tells most about the edits on trial.

Combinations are drawn a few at a time, for as long as nothing new is known of the edits: arrays of many cost hardly
more than arrays of one. Those that were not used when something changes are drawn anew, with the same lots.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.board import Board
from honeyguide.evolution.racing.likelihood import Numbers
from honeyguide.evolution.racing.lots import lots_of_many
from honeyguide.evolution.racing.settings import RacingSettings

AT_ONCE = 8
"""Combinations that are drawn at once at most; a reflection comes about as often and changes what is on trial."""
LEAST_ON, MOST_ON = 0.35, 0.75
MOST_REVIEWED = 0.35
REPEATED = 0.35
"""What each earlier run of an example counts against it."""
LOT = 0.5
REVIEW_NEED = 2.0
"""A kept edit is off seldom, so that its few chances go to examples that it speaks about."""


@dataclass(slots=True)
class Combining:
    """Draws combinations; remembers what went together so that pairs are told apart.

    Attributes:
        asked: how often each example was run.
        drawn: how many combinations were used.
    """

    settings: RacingSettings
    seed: int
    board: Board
    examples: int
    drawn: int = 0
    asked: Numbers = field(init=False)
    _ready: deque[tuple[int, int, Numbers]] = field(default_factory=deque)
    _ready_for: tuple[int, bool] = (-1, False)

    def __post_init__(self) -> None:
        self.asked = np.zeros(self.examples)

    def draw(self, count: int = 1, *, closing: bool = False) -> tuple[int, int]:
        """Return which edits are on, as bits, and the example that the combination is run on.

        Args:
            count: how many are likely to be drawn before something new is known.
            closing: the end is near, so that kept edits are tested rather than new ones.
        """
        tally = self.board.tally
        now = (tally.version, closing)
        if self._ready_for != now or not self._ready:
            self._ready = self._drawn(min(max(count, 1), AT_ONCE), closing=closing)
            self._ready_for = now
        mask, example, signs = self._ready.popleft()
        self.drawn += 1
        self.asked[example] += 1.0
        tally.went_together(signs)
        return self._permitted(mask), example

    def _drawn(self, count: int, *, closing: bool) -> deque[tuple[int, int, Numbers]]:
        tally, draws = self.board.tally, self.settings.draws
        size, trials = len(tally.rows), tally.trials
        numbers = lots_of_many(
            self.seed, "draw", range(self.drawn, self.drawn + count), draws * trials + size - trials + self.examples
        )
        on = np.ones((count, size))
        signs = self._lot(numbers[:, : draws * trials].reshape(count, draws, trials))
        on[:, :trials] = signs > 0.0
        self._review(on[:, trials:], numbers[:, draws * trials : draws * trials + size - trials], closing=closing)
        examples = self._examples(on, numbers[:, draws * trials + size - trials :])
        bits, without_rivals = tally.bits, self.board.without_rivals
        masks = [sum([bit for bit, is_on in zip(bits, row, strict=True) if is_on]) for row in on.tolist()]
        return deque(zip(map(without_rivals, masks), examples, signs, strict=True))

    def _lot(self, numbers: Numbers) -> Numbers:
        """Those on trial by lot, in proportion to their chance: 1 for on, -1 for off, ``(combinations, edits)``.

        Of a few draws the one is taken that best breaks up pairs of edits which were on or off together so far.
        """
        tally = self.board.tally
        count, draws, trials = numbers.shape
        likely = np.minimum(np.maximum(tally.chance[:trials] + self.settings.optimism, LEAST_ON), MOST_ON)
        on: npt.NDArray[np.bool_] = numbers < likely
        for row in tally.rows_with_rivals:
            on[:, :, row] &= ~(on[:, :, :row] & tally.clashes[row, :row]).any(axis=2)
        signs: Numbers = on.reshape(count * draws, trials).astype(np.float64)
        signs += signs - 1.0
        # the diagonal counts the same for every draw
        so_far = np.add.reduce((signs @ tally.together()) * signs, axis=1).reshape(count, draws)
        alike = (signs @ signs.T).reshape(count, draws, count * draws)
        alike *= alike
        chosen = []
        for number in range(count):
            best = number * draws + int(so_far[number].argmin())
            chosen.append(best)
            so_far += alike[:, :, best]  # as if it were used already
        picked: Numbers = signs[chosen]
        return picked

    def _review(self, on: Numbers, numbers: Numbers, *, closing: bool) -> None:
        """Switch kept edits off now and then, the doubtful ones more often."""
        odds, tally = self.settings.odds, self.board.tally
        often = max(odds.review, odds.last_review) if closing else odds.review
        doubt = often + (1.0 - tally.chance[tally.trials : len(tally.rows)]) * odds.trust
        off = numbers < np.minimum(doubt, MOST_REVIEWED)
        if off.shape[1] > odds.reviews:
            for row in np.flatnonzero(np.add.reduce(off, axis=1, dtype=np.intp) > odds.reviews):
                many = np.flatnonzero(off[row])
                off[row, many[np.argsort(numbers[row, many] / doubt[many], kind="stable")[odds.reviews :]]] = False
        on[off] = 0.0

    def _examples(self, on: Numbers, numbers: Numbers) -> list[int]:
        """Return for each the example on which it tells most; spread over all otherwise. Scores play no part in it."""
        tally = self.board.tally
        size, trials = len(tally.rows), tally.trials
        count = tally.narrow[:size, :, 0]
        worth = 1.0 / (1.0 + count[:, 1] + on * (count[:, 0] - count[:, 1]))
        worth[:, trials:] *= REVIEW_NEED * (1.0 - on[:, trials:])
        need = worth @ tally.focus[:size] - REPEATED * self.asked + LOT * numbers
        chosen = []
        for row in need:
            best = int(row.argmax())
            chosen.append(best)
            need[:, best] -= REPEATED
        return chosen

    def _permitted(self, mask: int) -> int:
        """Take edits off, the latest first, until the text may be tried."""
        board = self.board
        if board.allowed(board.text_of(mask)):
            return mask
        for switch in sorted(board.trials, key=lambda switch: -switch.number):
            mask &= ~switch.bit
            if board.allowed(board.text_of(mask)):
                return mask
        return board.leader_mask
