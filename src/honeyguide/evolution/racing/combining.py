"""Which combination of edits runs next, and on which example: what tells most about the edits on trial."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.board import Board
from honeyguide.evolution.racing.likelihood import Numbers
from honeyguide.evolution.racing.lots import lots
from honeyguide.evolution.racing.settings import RacingSettings

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
    """

    settings: RacingSettings
    seed: int
    board: Board
    examples: int
    drawn: int = 0
    asked: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.asked = np.zeros(self.examples)

    def draw(self, *, closing: bool = False) -> tuple[int, int]:
        """Return which edits are on, as bits, and the example that the combination is run on.

        ``closing``: the end is near, so that kept edits are tested rather than new ones.
        """
        tally, draws = self.board.tally, self.settings.draws
        size, trials = len(tally.rows), tally.trials
        numbers = lots(self.seed, "draw", self.drawn, draws * trials + size - trials + self.examples)
        self.drawn += 1
        on = np.ones(size)
        on[:trials] = self._lot(numbers[: draws * trials].reshape(draws, trials))
        self._review(on[trials:], numbers[draws * trials : draws * trials + size - trials], closing=closing)
        mask = 0
        for switch, is_on in zip(tally.rows, on.tolist(), strict=True):
            if is_on:
                mask |= switch.bit
        mask = self._permitted(self.board.without_rivals(mask))
        return mask, self._example(on, numbers[draws * trials + size - trials :])

    def _lot(self, numbers: Numbers) -> Numbers:
        """Those on trial by lot, in proportion to their chance.

        Of a few draws the one is taken that best breaks up pairs of edits which were on or off together so far.
        """
        tally = self.board.tally
        trials = tally.trials
        likely = np.minimum(np.maximum(tally.chance[:trials] + self.settings.optimism, LEAST_ON), MOST_ON)
        on: npt.NDArray[np.bool_] = numbers < likely
        for row in tally.rows_with_rivals:
            on[:, row] &= ~(on[:, :row] & tally.clashes[row, :row]).any(axis=1)
        signs = 2.0 * on - 1.0
        together = tally.together[:trials, :trials]
        best = int(np.einsum("di,di->d", signs @ together, signs).argmin())
        together += signs[best][:, None] * signs[best]  # the diagonal counts the same for every draw
        chosen: Numbers = on[best].astype(np.float64)
        return chosen

    def _review(self, on: Numbers, numbers: Numbers, *, closing: bool) -> None:
        """Switch kept edits off now and then, the doubtful ones more often."""
        odds, tally = self.settings.odds, self.board.tally
        often = max(odds.review, odds.last_review) if closing else odds.review
        doubt = often + (1.0 - tally.chance[tally.trials : len(tally.rows)]) * odds.trust
        off = np.flatnonzero(numbers < np.minimum(doubt, MOST_REVIEWED))
        if len(off) > odds.reviews:
            off = off[np.argsort(numbers[off] / doubt[off], kind="stable")[: odds.reviews]]
        on[off] = 0.0

    def _example(self, on: Numbers, numbers: Numbers) -> int:
        """Return the example on which this tells most; spread over all otherwise. Scores play no part in it."""
        tally = self.board.tally
        size, trials = len(tally.rows), tally.trials
        count = tally.narrow[:size, :, 0]
        worth = 1.0 / (1.0 + np.where(on > 0.0, count[:, 0], count[:, 1]))
        worth[trials:] *= REVIEW_NEED * (1.0 - on[trials:])
        need = worth @ tally.focus[:size] - REPEATED * self.asked + LOT * numbers
        best = int(need.argmax())
        self.asked[best] += 1.0
        return best

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
