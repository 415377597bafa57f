"""Token counts of Codex: totals only grow, and the last use is repeated; what counts is the difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    written: int | None = None
    known: bool = False
    inherits: bool = False

    @property
    def counts(self) -> TokenCounts:
        """The sum, or unknown."""
        return TokenCounts(self.input, self.output, self.cached, self.written) if self.known else TokenCounts()

    def add(self, other: Usage) -> None:
        """Add another use."""
        self.input += other.input
        self.output += other.output
        self.cached += other.cached
        if other.written is not None:
            self.written = (self.written or 0) + other.written
        self.known = True

    def step(self, info: Mapping[str, Any]) -> Usage | None:
        """Move these totals on to what ``info`` says and return what was used in between; ``None`` when nothing was."""
        total = _usage(object_of(info.get("total_token_usage")))
        last = _usage(object_of(info.get("last_token_usage")))
        if total is None:
            if last is None:
                return None
            total = replace(self)
            total.add(last)
        used = _difference(total, self)
        if self.inherits and not self.known and last is not None:
            used = last
        elif used.input < 0 or used.output < 0:
            # The totals began anew (a resumed session); the last use is what is new.
            used = last or total
        changed = (total.input, total.output) != (self.input, self.output) or not self.known
        self.input, self.output, self.cached, self.written, self.known = (
            total.input,
            total.output,
            total.cached,
            total.written,
            True,
        )
        return used if changed else None


def _difference(total: Usage, before: Usage) -> Usage:
    written = None if total.written is None else max(total.written - (before.written or 0), 0)
    return Usage(
        total.input - before.input,
        total.output - before.output,
        max(total.cached - before.cached, 0),
        written,
        True,
    )


def _usage(data: Mapping[str, Any]) -> Usage | None:
    given, made = whole(data.get("input_tokens")), whole(data.get("output_tokens"))
    if given is None and made is None:
        return None
    cached = whole(data.get("cached_input_tokens")) or 0
    return Usage(given or 0, made or 0, cached, whole(data.get("cache_write_input_tokens")), True)
