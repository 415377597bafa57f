"""What a person reads while a run works: its phases, and now and then how far the search is."""

from __future__ import annotations

import time
from collections.abc import Callable

from honeyguide.cli import output
from honeyguide.workspace import ProgressEvent

SECONDS = 2.0
"""A line on the search at most this often."""


class ProgressTeller:
    """Prints each phase's sentence; of the search's many steps, one line every few seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._told = now()

    def __call__(self, event: ProgressEvent) -> None:
        """Tell of one event."""
        detail = event.detail or {}
        if "candidate" not in detail:
            if " " in event.message:  # a bare word is a code for programs
                _say(event.phase, event.message)
            return
        if self._now() - self._told < SECONDS:
            return
        self._told = self._now()
        usd = float(detail.get("usd") or 0.0)
        _say(event.phase, f"{detail.get('calls', 0)} calls so far{f', {output.money(usd)}' if usd else ''}")


def _say(phase: str, words: str) -> None:
    output.notes().print(f"[dim]{phase:>8}[/]  {output.shown(words)}")
