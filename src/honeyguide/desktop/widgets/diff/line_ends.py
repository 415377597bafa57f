"""Giving an edited text back the line ends of the text it was made from."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

_LINE = re.compile("([^\r\n\u2029]*)(\r\n|\r|\n|\u2029|$)")
_MOST_LINES = 2000
"""Changed lines up to so many are compared with each other; of more, each gets the usual end."""


def with_line_ends_of(original: str, edited: str) -> str:
    """Return ``edited`` (lines end in LF) with the ends of ``original``.

    A line that is still there keeps its own end, a new one gets the end that most lines have.
    """
    old = [(match.group(1), match.group(2)) for match in _LINE.finditer(original)]
    ends = Counter(end for _, end in old if end)
    usual = ends.most_common(1)[0][0] if ends else "\n"
    if not ends or set(ends) == {"\n"}:
        return edited
    new = edited.split("\n")
    kept = _kept([text for text, _ in old], new)
    parts: list[str] = []
    for number, line in enumerate(new):
        parts.append(line)
        if number < len(new) - 1:
            parts.append(old[kept[number]][1] or usual if number in kept else usual)
    return "".join(parts)


def _kept(old: list[str], new: list[str]) -> dict[int, int]:
    """Return for each new line that was there before where it stood."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    kept = {number: number for number in range(start)}
    kept |= {len(new) - 1 - back: len(old) - 1 - back for back in range(end)}
    old_rest, new_rest = old[start : len(old) - end], new[start : len(new) - end]
    if len(old_rest) + len(new_rest) <= _MOST_LINES:
        for block in SequenceMatcher(None, old_rest, new_rest, autojunk=False).get_matching_blocks():
            kept |= {start + block.b + by: start + block.a + by for by in range(block.size)}
    return kept
