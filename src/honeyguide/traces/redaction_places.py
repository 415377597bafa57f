"""Where something stands in a text: the shared ground of all finders of secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class SecretHit(NamedTuple):
    """A secret in a text: what kind it is and where it stands (``text[start:end]``)."""

    kind: str
    start: int
    end: int


def lower_in_place(text: str) -> str:
    """Return ``text`` in lower case with every character at its old position."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.replace("\u0130", "I").lower()


def places(lowered: str, needle: str) -> Sequence[int]:
    """Return every position of ``needle`` in ``lowered``."""
    place = lowered.find(needle)
    if place < 0:
        return ()
    found: list[int] = []
    while place >= 0:
        found.append(place)
        place = lowered.find(needle, place + 1)
    return found
