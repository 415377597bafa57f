"""Whether a text says anything: the length and low-signal rules for examples. Every script counts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Final

LEAST_CHARACTERS: Final = 3
HIGHEST_SHARE: Final = 0.8


def is_low_signal(text: str) -> bool:
    """Say whether ``text`` is noise.

    It is when it has fewer than 3 characters that are not white space, when one of them makes up more than 80 %, or
    when there is neither a letter nor a digit of any script.
    """
    visible = [character for character in text if not character.isspace()]
    if len(visible) < LEAST_CHARACTERS:
        return True
    if Counter(visible).most_common(1)[0][1] > HIGHEST_SHARE * len(visible):
        return True
    return not any(unicodedata.category(character)[0] in "LN" for character in visible)


def said_length(text: str) -> int:
    """Return the length in characters, wide ones (Chinese, Japanese, Korean) counted twice: they say about as much."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
