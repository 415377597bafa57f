"""Several texts as one: a persona and its tool descriptions, searched, measured, reviewed and accepted together.

Each text stands under a line that names its target, so that one text can be hashed, journaled, compared and shown,
and falls into the same texts again:

    ===== persona-system-prompt:support =====
    You are the support assistant …
    ===== tool-description:search_orders =====
    Finds orders of the shop. …

The line break before the next such line (and the last one) belongs to the form, not to the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput
from honeyguide.prompts.targets import TargetKind, TargetRef

_BREAK = "\n\n"
"""What stands between two texts in front of a model."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The form of a text that holds one text of each of ``refs``, in their order.

    Attributes:
        refs: at least two targets; the first leads: a run is listed under its name.
    """

    refs: tuple[TargetRef, ...]

    def __post_init__(self) -> None:
        if len(self.refs) < 2 or len(set(self.refs)) < len(self.refs):
            raise InvalidInput("Texts that belong together are at least two, each named once.")

    def join(self, texts: Sequence[str]) -> str:
        """Return ``texts`` as one. Nothing is checked: see ``is_whole``."""
        return "".join(f"{mark(ref)}\n{text}\n" for ref, text in zip(self.refs, texts, strict=True))

    def split(self, text: str) -> tuple[str, ...]:
        """Return the texts in ``text``. Raises InvalidInput when it does not hold each of them once, in order."""
        return tuple(piece[len(mark(ref)) + 1 : -1] for ref, piece in zip(self.refs, self.pieces(text), strict=True))

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return ``text`` cut before each line that names a target; raises as ``split``."""
        starts = [found.start() for ref in self.refs for found in _line_of(ref).finditer(text)]
        if len(starts) != len(self.refs) or starts != sorted(starts) or starts[0] != 0 or not text.endswith("\n"):
            lines = " and ".join(mark(ref) for ref in self.refs)
            raise InvalidInput(
                "The text does not hold the texts that belong together, each once and in order.",
                hint=f"Keep the lines {lines} as they are.",
            )
        return tuple(text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True))

    def is_whole(self, text: str) -> bool:
        """Whether ``text`` falls into one text of each target; not so when one of them holds another one's line."""
        try:
            self.pieces(text)
        except InvalidInput:
            return False
        return True

    def begins(self, text: str) -> tuple[int, ...]:
        """Return where in ``text`` each target's own text begins; raises as ``split``."""
        at, found = 0, []
        for ref, piece in zip(self.refs, self.pieces(text), strict=True):
            found.append(at + len(mark(ref)) + 1)
            at += len(piece)
        return tuple(found)

    def applied(self, text: str) -> str:
        """Return what a model is given: the texts in order, descriptions of tools last, each under its tool's name."""
        named = list(zip(self.refs, self.split(text), strict=True))
        plain = [own for ref, own in named if ref.kind is not TargetKind.TOOL]
        tools = [f"Tool {ref.name}:\n{own.strip()}" for ref, own in named if ref.kind is TargetKind.TOOL]
        return _BREAK.join([*(own.rstrip() for own in plain), *tools])


def mark(ref: TargetRef) -> str:
    """Return the line that stands over a target's text."""
    return f"===== {ref} ====="


def _line_of(ref: TargetRef) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(mark(ref))}$", re.MULTILINE)
