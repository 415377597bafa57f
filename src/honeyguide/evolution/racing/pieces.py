"""A text as pieces that an edit may replace: lines, and in prose the sentences of a line.

A piece that goes on in the line of the one before it begins with ``GOES_ON`` and the space between them. Items of
lists, headings, tables and code stay whole lines, but a long item falls into sentences too. ``joined(pieces(text))``
is ``text``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

GOES_ON = "\x1f"
LONG_ITEM = 240
"""Characters of a list item from which its sentences are pieces."""
_ITEM = re.compile(r"\s*(?:[-*+•>|#]|\d{1,3}[.)]\s|[A-Za-z][.)]\s)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_END = re.compile(r"[.!?…][\"'”’»)\]]*(?P<space>\s+)(?=\S)|[。！？][」』”’）]*(?P<none>\s*)(?=\S)")
_WORD = re.compile(r"[\w.]+$")
_SHORT = frozenset(
    {"e.g", "i.e", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "prof", "st", "z.b", "d.h", "bzw", "vgl"}
)
_NUMBERED = frozenset({"no", "nr", "fig", "abb", "art", "sec", "ch", "p", "ca"})
"""Abbreviations that stand before a number."""
_SEAM, _ALONE = f"\n{GOES_ON}", f"\n\n{GOES_ON}"
_OPENS = re.compile(rf"(?:^|(?<=\n)\n){GOES_ON}\s*")


@lru_cache(maxsize=64)
def pieces(text: str) -> tuple[str, ...]:
    """Return the pieces of ``text``, in order."""
    if GOES_ON in text:
        return tuple(text.split("\n"))
    found: list[str] = []
    fence = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fence = not fence
        if fence or (_ITEM.match(line) and len(line) < LONG_ITEM):
            found.append(line)
        else:
            found.extend(_sentences(line))
    return tuple(found)


def joined(parts: Sequence[str]) -> str:
    """Return the text of pieces. A piece that goes on where nothing stands before it begins its line."""
    text = "\n".join(parts)
    if GOES_ON not in text:
        return text
    if text[0] == GOES_ON or _ALONE in text:
        text = _OPENS.sub("", text)
    return text.replace(_SEAM, "")


def goes_on(piece: str) -> bool:
    """Whether ``piece`` goes on in the line of the one before it."""
    return piece.startswith(GOES_ON)


def bare(piece: str) -> str:
    """Return what a piece says, without how it is joined to the one before it."""
    return piece.lstrip(f"{GOES_ON} \t") if goes_on(piece) else piece


def _sentences(line: str) -> list[str]:
    found, start = [], 0
    for match in _END.finditer(line):
        is_spaced = match["space"] is not None
        then = line[match.end()]
        if is_spaced and (then.islower() or _is_short(line[start : match.start()], then)):
            continue
        end = match.start("space") if is_spaced else match.start("none")
        found.append(line[start:end])
        start = end
    found.append(line[start:])
    return [found[0], *(f"{GOES_ON}{sentence}" for sentence in found[1:])]


def _is_short(before: str, then: str) -> bool:
    """Whether the dot after ``before`` belongs to an abbreviation, an initial or a number."""
    found = _WORD.search(before)
    if found is None:
        return False
    word = found[0].lower()
    return word in _SHORT or len(word) == 1 or word.isdigit() or (word in _NUMBERED and then.isdigit())
