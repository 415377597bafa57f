"""How large a search for a better prompt may be, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.kernel.errors import InvalidInput

MOST: Final = 20
"""Of each number."""


@dataclass(frozen=True, slots=True)
class SearchSize:
    """A search in place of the single proposal.

    Attributes:
        population: new prompts a generation.
        generations: how many generations.
    """

    population: int = 3
    generations: int = 2

    def __post_init__(self) -> None:
        if not (1 <= self.population <= MOST and 1 <= self.generations <= MOST):
            raise InvalidInput(
                f"A search of {self.population} x {self.generations} cannot be made.", hint=f"Use 1 to {MOST} of each."
            )

    @property
    def requests(self) -> int:
        """How often the maintainer is asked at most."""
        return self.population * self.generations

    def calls(self, cases: int) -> int:
        """Return the most executions on a suite of so many cases: each new prompt is asked for, and tried once a case.

        The current prompt's results are known from its own side, and no prompt is tried twice.
        """
        return self.requests * (1 + cases)
