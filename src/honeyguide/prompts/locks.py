"""Passages that a person locked: they must stand in every later text, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput

_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class LockedPassage:
    """A locked passage.

    Attributes:
        id: 12 hex digits made from its words; the same words have the same id.
        text: the passage as the person selected it.
    """

    id: str
    text: str


def lock(text: str, passage: str) -> LockedPassage:
    """Lock ``passage``, which must stand in ``text``. Raises InvalidInput."""
    words = _BLANKS.sub(" ", passage).strip()
    if not words:
        raise InvalidInput("There is nothing to lock.", hint="Select at least one word.")
    locked = LockedPassage(sha256_hex(words)[:12], passage.strip())
    if find(locked, text) is None:
        raise InvalidInput(
            "The text does not hold that passage.", hint="Copy it from the text; only line breaks may differ."
        )
    return locked


def find(passage: LockedPassage, text: str) -> tuple[int, int] | None:
    """Return where the passage stands in ``text`` as (start, end), or ``None``.

    Every word and mark must be the same, in the same order; only the blanks and line breaks between words may differ.
    """
    words = passage.text.split()
    pattern = r"\s+".join(re.escape(word) for word in words)
    lead = r"(?<!\w)" if words[0][0].isalnum() else ""
    tail = r"(?!\w)" if words[-1][-1].isalnum() else ""
    found = re.search(lead + pattern + tail, text)
    return found.span() if found else None


def missing(passages: Iterable[LockedPassage], text: str) -> tuple[LockedPassage, ...]:
    """Return the passages that do not stand in ``text``."""
    return tuple(passage for passage in passages if find(passage, text) is None)


def places(passages: Iterable[LockedPassage], text: str) -> list[tuple[LockedPassage, int, int]]:
    """Return where each passage that is there stands, in order; a diff shows a padlock on them."""
    found = [(passage, span) for passage in passages if (span := find(passage, text)) is not None]
    return sorted(((passage, *span) for passage, span in found), key=lambda place: place[1])
