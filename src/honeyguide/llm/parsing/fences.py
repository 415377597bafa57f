"""Fenced blocks in a text (CommonMark, section 4.5), and the fence that a chat model puts around a whole answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_TEXT_LANGUAGES = frozenset({"", "markdown", "md", "text", "txt", "plaintext", "plain", "prompt", "mdx", "xml"})


@dataclass(frozen=True, slots=True)
class Fence:
    """One block that is not inside another one.

    Attributes:
        start: index of the opening line.
        end: index of the line after the closing one.
        body: the lines between, joined.
    """

    start: int
    end: int
    language: str
    body: str
    is_closed: bool

    @property
    def may_hold_prompt(self) -> bool:
        """Whether its language is one that prose is put in."""
        return self.language in _TEXT_LANGUAGES


def outer_fences(text: str) -> list[Fence]:
    """Return the outer blocks of ``text`` in order."""
    lines = text.split("\n")
    found = []
    index = 0
    while index < len(lines):
        opening = _OPENING.fullmatch(lines[index])
        if not opening:
            index += 1
            continue
        end = next((i for i in range(index + 1, len(lines)) if _closes(lines[i], opening.group(1))), None)
        stop = len(lines) if end is None else end
        language = opening.group(2).lower()
        found.append(
            Fence(index, stop + (end is not None), language, "\n".join(lines[index + 1 : stop]), end is not None)
        )
        index = stop + 1
    return found


def whole_fence(text: str) -> str | None:
    """Return what is inside the one fence around all of ``text``, or ``None``.

    Models often put blocks inside a fence of the same length; such inner blocks are told from the outer closing
    line by their language tag, and only then.
    """
    lines = text.strip("\n").rstrip().split("\n")
    opening = _OPENING.fullmatch(lines[0])
    if len(lines) < 2 or not opening or opening.group(2).lower() not in _TEXT_LANGUAGES:
        return None
    mark = opening.group(1)
    if not _closes(lines[-1], mark):
        return None
    inner: str | None = None
    for line in lines[1:-1]:
        found = _OPENING.fullmatch(line)
        if inner is not None:
            inner = None if _closes(line, inner) else inner
        elif found and found.group(2):
            inner = found.group(1)
        elif _closes(line, mark):
            return None
        elif found:
            inner = found.group(1)
    return "\n".join(lines[1:-1]) if inner is None else None


def _closes(line: str, mark: str) -> bool:
    stripped = line.strip()
    return len(line) - len(line.lstrip(" ")) <= 3 and len(stripped) >= len(mark) and stripped == mark[0] * len(stripped)
