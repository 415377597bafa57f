"""The split into train, validation and holdout: by conversation, seeded, and stable when examples are added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from honeyguide.evals.examples import Example
from honeyguide.kernel import choice
from honeyguide.kernel.errors import InvalidInput


class Split(StrEnum):
    """The three parts of a dataset."""

    TRAIN = "train"
    VALIDATION = "validation"
    HOLDOUT = "holdout"


@dataclass(frozen=True, slots=True)
class SplitRatios:
    """Shares of the conversations; none negative, together 1."""

    train: float = 0.6
    validation: float = 0.2
    holdout: float = 0.2

    def __post_init__(self) -> None:
        parts = (self.train, self.validation, self.holdout)
        if not abs(sum(parts) - 1.0) <= 1e-6:
            raise InvalidInput(f"The shares of the split sum to {sum(parts):g}; they must sum to 1.")
        if min(parts) < 0:
            raise InvalidInput("The shares of the split must be non-negative.")


def split_counts(n: int, ratios: SplitRatios) -> tuple[int, int, int]:
    """Return how many of ``n`` conversations go to train, validation and holdout; the holdout gets the remainder."""
    train = math.floor(round(n * ratios.train, 9))
    validation = min(math.floor(round(n * ratios.validation, 9)), n - train)
    return train, validation, n - train - validation


def split_conversations(conversations: Sequence[str], ratios: SplitRatios, seed: int) -> dict[str, Split]:
    """Return the split of each conversation.

    Conversations are ranked by a hash of seed and name; the holdout takes its quota from the front, then validation,
    then train. A conversation more or less shifts each boundary by two at most, so hardly any other one moves.
    """
    ranked = sorted(set(conversations), key=lambda name: (choice.unit(seed, "split", name), name))
    train, validation, holdout = split_counts(len(ranked), ratios)
    places = [Split.HOLDOUT] * holdout + [Split.VALIDATION] * validation + [Split.TRAIN] * train
    return dict(zip(ranked, places, strict=True))


def split_examples(examples: Sequence[Example], ratios: SplitRatios, seed: int) -> dict[Split, tuple[Example, ...]]:
    """Return the examples of each split, ordered by hash, so that a prefix is a fair sample."""
    homes = split_conversations([conversation_of(e) for e in examples], ratios, seed)
    ordered = sorted(examples, key=lambda e: (choice.unit(seed, "order", e.id), e.id))
    return {split: tuple(e for e in ordered if homes[conversation_of(e)] is split) for split in Split}


def conversation_of(example: Example) -> str:
    """Return the conversation of an example; one without any stands alone."""
    return example.conversation or f"example:{example.id}"
