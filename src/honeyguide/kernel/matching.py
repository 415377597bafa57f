"""Patterns that are not ours (from models, suites, schemas), matched with a time limit."""

from __future__ import annotations

from enum import Enum

import regex

from honeyguide.kernel.errors import InvalidInput

TIME_LIMIT_SECONDS = 0.2
MAX_PATTERN_LENGTH = 10_000


class Match(Enum):
    """What came of a bounded search."""

    FOUND = "found"
    ABSENT = "absent"
    INCONCLUSIVE = "inconclusive"
    """The time limit ran out; nobody may take this for a yes or a no."""


def search(pattern: str, text: str, *, flags: int = 0, time_limit: float = TIME_LIMIT_SECONDS) -> Match:
    """Search ``text`` for ``pattern`` (syntax of the ``regex`` package) within ``time_limit`` seconds.

    Raises:
        InvalidInput: the pattern is not a regular expression, or too long.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise InvalidInput(
            f"The pattern is {len(pattern)} characters long; {MAX_PATTERN_LENGTH} are the limit.",
            hint="Use a shorter pattern.",
        )
    try:
        compiled = regex.compile(pattern, flags)
    except (regex.error, RecursionError, OverflowError) as error:
        raise InvalidInput(f"{pattern[:80]!r} is not a valid pattern: {error}.") from error
    try:
        found = compiled.search(text, timeout=time_limit)
    except TimeoutError:
        return Match.INCONCLUSIVE
    return Match.FOUND if found else Match.ABSENT
