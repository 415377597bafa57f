"""Token counts of Codex: totals only grow, and the last use is repeated; what counts is the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.traces.readers._values import object_of, whole
from honeyguide.traces.records import TokenCounts


@dataclass(slots=True)
class Usage:
    """A sum of uses; cached input is a part of the input, as Codex counts it.

    Attributes:
        inherits: the totals began with a parent's, so the first one is not all new.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    known: bool = False
    inherits: bool = False

    @property
    def counts(self) -> TokenCounts:
        """The sum, or unknown."""
        return TokenCounts(self.input, self.output, self.cached) if self.known else TokenCounts()

    def add(self, other: Usage) -> None:
        """Add another use."""
        self.input += other.input
        self.output += other.output
        self.cached += other.cached
        self.known = True

    def step(self, info: Mapping[str, Any]) -> Usage | None:
        """Move these totals on to what ``info`` says and return what was used in between; ``None`` when nothing was."""
        total = _usage(object_of(info.get("total_token_usage")))
        last = _usage(object_of(info.get("last_token_usage")))
        if total is None:
            if last is None:
                return None
            total = Usage(self.input + last.input, self.output + last.output, self.cached + last.cached, True)
        used = Usage(total.input - self.input, total.output - self.output, total.cached - self.cached, True)
        if self.inherits and not self.known and last is not None:
            used = last
        elif used.input < 0 or used.output < 0:
            # The totals began anew (a resumed session); the last use is what is new.
            used = last or total
        used.cached = max(used.cached, 0)
        changed = (total.input, total.output) != (self.input, self.output) or not self.known
        self.input, self.output, self.cached, self.known = total.input, total.output, total.cached, True
        return used if changed else None


def _usage(data: Mapping[str, Any]) -> Usage | None:
    given, made = whole(data.get("input_tokens")), whole(data.get("output_tokens"))
    if given is None and made is None:
        return None
    return Usage(given or 0, made or 0, whole(data.get("cached_input_tokens")) or 0, True)
