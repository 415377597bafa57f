"""How often edits turned out to help in one search, for what to expect of the next."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from honeyguide.evolution.racing.settings import Odds
from honeyguide.evolution.racing.switches import State, Switch

LEAST_SHARE, MOST_SHARE = 0.04, 0.6


@dataclass(slots=True)
class Luck:
    """The edits that were decided last, in the order in which they were decided first."""

    odds: Odds
    _numbers: set[int] = field(default_factory=set)
    _last: deque[Switch] = field(init=False)

    def __post_init__(self) -> None:
        self._last = deque(maxlen=self.odds.memory)

    def decided(self, switch: Switch) -> None:
        """An edit was kept or dropped, perhaps not for the first time."""
        if switch.number not in self._numbers:
            self._numbers.add(switch.number)
            self._last.append(switch)

    @property
    def share(self) -> float:
        """The share of them that is kept now, drawn towards the guess of the settings."""
        found = sum(switch.state is State.KEPT for switch in self._last) + self.odds.prior * self.odds.prior_weight
        return min(max(found / (len(self._last) + self.odds.prior_weight), LEAST_SHARE), MOST_SHARE)
