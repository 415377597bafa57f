"""Marks that a finished prompt does not have: slots nobody filled, notes to oneself, reasoning tags, chat phrases.

Only what the new text has and the old one had not is a fault: a prompt that forbids ``<think>`` tags may name them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class LeftoverKind(StrEnum):
    """The kinds of mark."""

    SLOT = "slot"
    NOTE = "note"
    REASONING = "reasoning"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class Leftover:
    """One mark: ``text[start:end]`` is ``value``."""

    kind: LeftoverKind
    value: str
    start: int
    end: int


_MARKS = (
    (
        LeftoverKind.SLOT,
        re.compile(
            r"\[\s*(?:placeholder|todo|fixme|tbd|xxx|(?:insert|your|add|enter|fill in|replace with)[ _][\w ,.'/-]+|insert)\s*\]"
            r"|<\s*(?:placeholder|todo|tbd|(?:your|insert|add|enter)[-_ ][\w -]+)\s*>",
            re.IGNORECASE,
        ),
    ),
    (
        LeftoverKind.NOTE,
        re.compile(r"^[ \t]*(?:[-*+>#]+[ \t]*|<!--[ \t]*|//[ \t]*)?(?:TODO|FIXME|XXX)[ \t]*:", re.MULTILINE),
    ),
    (
        LeftoverKind.REASONING,
        re.compile(
            r"</?\s*(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|inner_monologue)\s*>", re.IGNORECASE
        ),
    ),
    (
        LeftoverKind.CHAT,
        re.compile(
            r"^[ \t]*(?:(?:sure|certainly|of course|absolutely|great|okay|ok)[!,.][^\n]{0,80}\b(?:here|below)\b[^\n]*"
            r"|here(?:'s| is| are)\b[^\n]{0,60}\b(?:prompt|instructions?|version|text|rewrite|revision)\b[^\n]*[:.][ \t]*$"
            r"|(?:i|we)(?:'ve| have) (?:rewritten|improved|updated|revised|refined)\b[^\n]*"
            r"|(?:please )?let me know if you\b[^\n]*|i hope this helps\b[^\n]*|feel free to (?:adjust|modify|ask)\b[^\n]*"
            r"|(?:improved|revised|updated|new|final) (?:prompt|version|instructions?)[ \t]*:[ \t]*$)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
)


def find(text: str) -> list[Leftover]:
    """Return every mark in ``text`` in order."""
    found = [
        Leftover(kind, match.group().strip(), match.start(), match.end())
        for kind, pattern in _MARKS
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda mark: mark.start)


def added(before: str, after: str) -> tuple[Leftover, ...]:
    """Return the marks of ``after`` that ``before`` does not have."""
    known = {(mark.kind, mark.value.casefold()) for mark in find(before)}
    return tuple(mark for mark in find(after) if (mark.kind, mark.value.casefold()) not in known)
