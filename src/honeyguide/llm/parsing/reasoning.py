"""Where a reply's reasoning ends and its answer begins.

Models mark reasoning with tags that may be closed, never closed (the reply was cut off while thinking), or only
closed (the template swallowed the opening tag). A prompt that merely talks about such tags keeps them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|scratchpad|reflection)"
OPENING = re.compile(rf"<({_NAMES})>", re.IGNORECASE)
CLOSING = re.compile(rf"</({_NAMES})>", re.IGNORECASE)
_ORPHAN_CLOSING = re.compile(rf"</{_NAMES}>[ \t]*(?:\r?\n|$)", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply without its reasoning.

    Attributes:
        is_complete: False when the reasoning never ended, so that there is no answer.
    """

    text: str
    is_complete: bool


def strip_reasoning(reply: str) -> Answer:
    """Return what the model answered after it had thought."""
    text = reply.lstrip("\ufeff")
    while opening := OPENING.match(text.lstrip()):
        body = text.lstrip()
        end = _matching_end(body, opening.group(1).lower(), opening.end())
        if end is None:
            return Answer("", False)
        text = body[end:]
    if (end := _orphan_end(text)) is not None:
        text = text[end:]
    return Answer(text.strip(), True)


def _matching_end(text: str, name: str, start: int) -> int | None:
    depth = 1
    tag = re.compile(rf"<(/?){re.escape(name)}>", re.IGNORECASE)
    last_closing = None
    for found in tag.finditer(text, start):
        depth += -1 if found.group(1) else 1
        if found.group(1):
            last_closing = found.end()
        if depth == 0:
            return found.end()
    return last_closing  # an opening tag was only mentioned inside: the last closing tag ends the reasoning


def _orphan_end(text: str) -> int | None:
    """The end of the last closing tag that ends a line outside any fence or code span, with no opening before it."""
    first_opening = OPENING.search(text)
    fence = _FENCE.search(text)
    limit = min(
        first_opening.start() if first_opening else len(text),
        fence.start() if fence else len(text),
    )
    end = None
    for found in _ORPHAN_CLOSING.finditer(text):
        line_start = text.rfind("\n", 0, found.start()) + 1
        if found.start() < limit and text.count("`", line_start, found.start()) % 2 == 0:
            end = found.end()
    return end
