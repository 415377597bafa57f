"""Line ends: shown as ``\\n`` to people and models, kept as they are in the file, line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|$)")

_MOST_COMPARISONS = 1_000_000


def with_newlines(text: str) -> str:
    """Return ``text`` with every line end written ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def editable(text: str) -> str:
    """Return ``text`` as an editable span holds it: ``\\n`` line ends, none at the very end."""
    return with_newlines(text).rstrip("\n")


def usual_line_end(raw: str, fallback: str = "\n") -> str:
    """Return the line end that ``raw`` uses most (the first of equals)."""
    counts = Counter(_LINE_END.findall(raw))
    return counts.most_common(1)[0][0] if counts else fallback


def line_number(text: str, offset: int) -> int:
    """Return the 1-based line that holds ``text[offset]``."""
    return len(_LINE_END.findall(text, 0, offset)) + 1 - (text[offset - 1 : offset + 1] == "\r\n")


class LineCodec:
    """A stretch of a text file. Kept lines keep their own line end, new ones get the usual one.

    Args:
        fallback: the line end to use when the stretch has none; usually that of the whole file.
    """

    def __init__(self, fallback: str = "\n") -> None:
        self._fallback = fallback

    def decode(self, raw: str) -> str:
        """Return the editable text of ``raw``."""
        return with_newlines(raw)

    def spellings(self, new: str, raw: str) -> Iterable[str]:
        """Return the ways to write ``new`` where ``raw`` stands; here there is one."""
        usual = usual_line_end(raw, self._fallback)
        ends = {m.group() for m in _LINE_END.finditer(raw)}
        if len(ends) <= 1:
            return (new.replace("\n", usual) if usual != "\n" else new,)
        return (_keep_line_ends(new, raw, usual),)


def _keep_line_ends(new: str, raw: str, usual: str) -> str:
    old = [(m.group(1), m.group(2)) for m in _LINE.finditer(raw) if m.group()]
    lines = new.split("\n")
    ends = [usual] * len(lines)
    for i, j in _kept_lines([text for text, _ in old], lines):
        ends[j] = old[i][1] or usual
    ends[-1] = ""
    return "".join(line + end for line, end in zip(lines, ends, strict=True))


def _kept_lines(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs (line of old, line of new) that are the same line or stand for each other."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        yield head, head
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        yield len(old) - 1 - tail, len(new) - 1 - tail
        tail += 1
    middle, other = old[head : len(old) - tail], new[head : len(new) - tail]
    # Very many equal lines make the matcher slow; there it may ignore the commonest.
    matcher = SequenceMatcher(None, middle, other, autojunk=len(middle) * len(other) > _MOST_COMPARISONS)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        yield from ((head + i, head + j) for i, j in zip(range(i1, i2), range(j1, j2), strict=False))
