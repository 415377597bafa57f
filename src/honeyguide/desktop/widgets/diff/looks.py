"""What the head of a change and a fold show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeadLook:
    """What the head of a change shows. ``checked`` is ``None`` where there is nothing to tick."""

    words: str
    checked: bool | None
    is_current: bool
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class FoldLook:
    """What a fold says: how much it hides, and its two steps (the first may be missing)."""

    words: str
    some: str
    all: str
