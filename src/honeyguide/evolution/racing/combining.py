"""Which combination of edits runs next, and on which example: what tells most about the edits on trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.racing.board import Board
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.racing.switches import State, Switch
from honeyguide.kernel.choice import units

LEAST_ON, MOST_ON = 0.35, 0.75
MOST_REVIEWED = 0.35
REPEATED = 0.35
"""What each earlier run of an example counts against it."""
LOT = 0.5
REVIEW_NEED = 2.0
"""A kept edit is off seldom, so that its few chances go to examples that it speaks about."""


@dataclass(slots=True)
class Combining:
    """Draws combinations; remembers what went together so that pairs are told apart."""

    settings: RacingSettings
    seed: int
    board: Board
    drawn: int = 0
    asked: list[int] = field(default_factory=list)
    _together: dict[tuple[int, int], int] = field(default_factory=dict)

    def draw(self) -> int:
        """Return which edits are on: those on trial by lot, in proportion to their chance; a kept one rarely not.

        Of a few draws the one is taken that best breaks up pairs of edits which were on or off together so far.
        """
        trials = self.board.trials
        chances = [min(max(s.chance + self.settings.optimism, LEAST_ON), MOST_ON) for s in trials]
        lots = units(self.seed, self.settings.draws * len(trials), "on", self.drawn)
        best: tuple[int, list[bool]] | None = None
        for number in range(self.settings.draws):
            on = self._on(trials, chances, lots[number * len(trials) :])
            cost = self._imbalance(trials, on)
            if best is None or cost < best[0]:
                best = (cost, on)
        on = best[1] if best is not None else []
        self._remember(trials, on)
        mask = self.board.kept_mask | sum(s.bit for s, is_on in zip(trials, on, strict=True) if is_on)
        mask = self.board.without_rivals(mask)
        for switch in self._reviewed():
            mask &= ~switch.bit
        self.drawn += 1
        return self._permitted(mask)

    def example(self, mask: int, among: Sequence[int]) -> int:
        """Return the example on which ``mask`` tells most; spread over all otherwise. Scores play no part in it."""
        about = [
            s for s in (*self.board.trials, *self.board.kept)
            if s.focus and (s.state is State.TRIAL or not mask & s.bit)
        ]  # fmt: skip
        need = dict.fromkeys(among, 0.0)
        for switch in about:
            side = switch.narrow.on if mask & switch.bit else switch.narrow.off
            worth = (REVIEW_NEED if switch.state is State.KEPT else 1.0) / (1.0 + side.n)
            for number in switch.focus:
                need[number] += worth
        lots = units(self.seed, len(among), "example", self.drawn)
        best, most = among[0], float("-inf")
        for number, lot in zip(among, lots, strict=True):
            value = need[number] - REPEATED * self.asked[number] + LOT * lot
            if value > most:
                best, most = number, value
        self.asked[best] += 1
        return best

    def _on(self, trials: Sequence[Switch], chances: Sequence[float], lots: Sequence[float]) -> list[bool]:
        on: list[bool] = []
        for switch, chance, lot in zip(trials, chances, lots, strict=False):
            rivals = (trials[j] for j, is_on in enumerate(on) if is_on)
            on.append(lot < chance and not any(self.board.clash(switch, rival) for rival in rivals))
        return on

    def _imbalance(self, trials: Sequence[Switch], on: Sequence[bool]) -> int:
        cost = 0
        for i, one in enumerate(trials):
            for j in range(i):
                known = self._together.get((trials[j].number, one.number), 0)
                cost += known if on[i] == on[j] else -known
        return cost

    def _remember(self, trials: Sequence[Switch], on: Sequence[bool]) -> None:
        for i, one in enumerate(trials):
            for j in range(i):
                pair = (trials[j].number, one.number)
                self._together[pair] = self._together.get(pair, 0) + (1 if on[i] == on[j] else -1)

    def _reviewed(self) -> list[Switch]:
        """Kept edits that are off this time, the doubtful ones more often."""
        odds, off = self.settings.odds, []
        kept = self.board.kept
        lots = units(self.seed, len(kept), "review", self.drawn)
        for switch, lot in zip(kept, lots, strict=True):
            doubt = odds.review + (1.0 - switch.chance) * odds.trust
            if lot < min(doubt, MOST_REVIEWED):
                off.append((lot / doubt, switch.number, switch))
        return [switch for _, _, switch in sorted(off)[: odds.reviews]]

    def _permitted(self, mask: int) -> int:
        """Take edits off, the latest first, until the text may be tried."""
        board = self.board
        for switch in reversed(board.trials):
            if board.allowed(board.text_of(mask)):
                return mask
            mask &= ~switch.bit
        return mask if board.allowed(board.text_of(mask)) else board.leader_mask
