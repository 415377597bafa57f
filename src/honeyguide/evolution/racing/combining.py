"""Which combination of edits runs next, and on which example: what tells most about the edits on trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.racing.board import Board, clash
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.racing.switches import State, Switch
from honeyguide.kernel.choice import unit

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
        best: tuple[int, list[bool]] | None = None
        for number in range(self.settings.draws):
            on = self._lots(trials, chances, number)
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
            s for s in self.board.switches
            if s.focus and (s.state is State.TRIAL or (s.state is State.KEPT and not mask & s.bit))
        ]  # fmt: skip
        worth = [
            (REVIEW_NEED if s.state is State.KEPT else 1.0) / (1 + (s.narrow.on if mask & s.bit else s.narrow.off).n)
            for s in about
        ]
        best, most = among[0], float("-inf")
        for number in among:
            need = sum(w for s, w in zip(about, worth, strict=True) if number in s.focus)
            value = need - REPEATED * self.asked[number] + LOT * unit(self.seed, "example", self.drawn, number)
            if value > most:
                best, most = number, value
        self.asked[best] += 1
        return best

    def _lots(self, trials: Sequence[Switch], chances: Sequence[float], number: int) -> list[bool]:
        on: list[bool] = []
        for i, (switch, chance) in enumerate(zip(trials, chances, strict=True)):
            wanted = unit(self.seed, "on", self.drawn, number, switch.number) < chance
            on.append(wanted and not any(is_on and clash(switch, trials[j]) for j, is_on in enumerate(on[:i])))
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
        for switch in self.board.kept:
            doubt = odds.review + (1.0 - switch.chance) * odds.trust
            lot = unit(self.seed, "review", self.drawn, switch.number)
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
