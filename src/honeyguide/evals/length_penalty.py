"""How much of its score an answer keeps when it runs long.

Boundary values are in ``tests/evals/test_length_penalty.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class LengthPenalty:
    """A factor in [floor, 1]: 1 up to the free length, then falling in a straight line to ``floor``.

    Attributes:
        target: length in code points that an answer should keep; 0 or less switches the penalty off.
        tolerance: share of ``target`` that is forgiven (0.5 forgives up to 1.5 times the target).
        floor: the factor at three times the target and beyond.
    """

    target: int = 2000
    tolerance: float = 0.5
    floor: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.floor <= 1.0:
            raise InvalidInput(f"The length floor is {self.floor}; it must lie between 0 and 1.")
        if not self.tolerance >= 0.0:
            raise InvalidInput(f"The length tolerance is {self.tolerance}; it must be 0 or more.")

    def factor(self, length: int) -> float:
        """Return the factor for an answer of ``length`` code points."""
        free = self.target * (1 + self.tolerance)
        worst = 3 * self.target
        if length <= 0 or self.target <= 0 or length <= free:
            return 1.0
        if length >= worst:
            return self.floor
        return max(self.floor, 1.0 - (1.0 - self.floor) * (length - free) / (worst - free))
