"""The five things a verification may say, and the words a person reads; `findings` decides between them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Finding(StrEnum):
    """What a verification says, in the product's five outcomes."""

    VERIFIED_IMPROVEMENT = "verified_improvement"
    REGRESSION_SAFE = "regression_safe"
    REJECTED = "rejected"
    INCONCLUSIVE = "inconclusive"
    CAPABILITY_REJECTED = "capability_rejected"


LABELS: Final = {
    Finding.VERIFIED_IMPROVEMENT: "Better, proven",
    Finding.REGRESSION_SAFE: "Safe, not proven",
    Finding.REJECTED: "Worse",
    Finding.INCONCLUSIVE: "Cannot tell yet",
    Finding.CAPABILITY_REJECTED: "Adds a capability",
}
"""The words a person reads."""
