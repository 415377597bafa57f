"""Marks that a finished prompt does not have: slots nobody filled, notes to oneself, reasoning tags, chat phrases.

Only what the new text has and the old one had not is a fault: a prompt that forbids ``<think>`` tags may name them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


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


_SLOT = re.compile(
    r"\[\s*(?:placeholder|todo|fixme|tbd|xxx|insert"
    r"|(?:insert|your|add|enter|fill in|replace with)[ _][\w ,.'/-]+)\s*\]"
    r"|<\s*(?:placeholder|todo|tbd|(?:your|insert|add|enter)[-_ ][\w -]+)\s*>",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^[ \t]*(?:[-*+>#]+[ \t]*|<!--[ \t]*|//[ \t]*)?(?:TODO|FIXME|XXX)[ \t]*:", re.MULTILINE)
_REASONING = re.compile(
    r"</?\s*(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|inner_monologue)\s*>", re.IGNORECASE
)
_OPENERS = r"(?:sure|certainly|of course|absolutely|great|okay|ok)[!,.][^\n]{0,80}\b(?:here|below)\b[^\n]*"
_PRESENTING = (
    r"here(?:'s| is| are)\b[^\n]{0,60}\b(?:prompt|instructions?|version|text|rewrite|revision)\b[^\n]*[:.][ \t]*$"
    r"|(?:i|we)(?:'ve| have) (?:rewritten|improved|updated|revised|refined)\b[^\n]*"
    r"|(?:improved|revised|updated|new|final) (?:prompt|version|instructions?)[ \t]*:[ \t]*$"
)
_CLOSERS = (
    r"(?:please )?let me know if you\b[^\n]*|i hope this helps\b[^\n]*|feel free to (?:adjust|modify|ask)\b[^\n]*"
)
_CHAT = re.compile(rf"^[ \t]*(?:{_OPENERS}|{_PRESENTING}|{_CLOSERS})", re.IGNORECASE | re.MULTILINE)
_MARKS = (
    (LeftoverKind.SLOT, _SLOT),
    (LeftoverKind.NOTE, _NOTE),
    (LeftoverKind.REASONING, _REASONING),
    (LeftoverKind.CHAT, _CHAT),
)


def find(text: str) -> list[Leftover]:
    """Return every mark in ``text`` in order."""
    return list(_found(text))


@lru_cache(maxsize=8)
def _found(text: str) -> tuple[Leftover, ...]:
    """Several gates ask of the same candidate, and each candidate is compared with the same baseline."""
    found = [
        Leftover(kind, match.group().strip(), match.start(), match.end())
        for kind, pattern in _MARKS
        for match in pattern.finditer(text)
    ]
    return tuple(sorted(found, key=lambda mark: mark.start))


def added(before: str, after: str) -> tuple[Leftover, ...]:
    """Return the marks of ``after`` that ``before`` does not have."""
    known = {(mark.kind, mark.value.casefold()) for mark in _found(before)}
    return tuple(mark for mark in _found(after) if (mark.kind, mark.value.casefold()) not in known)
