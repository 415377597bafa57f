"""What a person reads while a run works: its phases, and now and then how far the search is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final

from honeyguide.cli import output
from honeyguide.workspace import ProgressEvent

_NUMBER: Final = re.compile(r",? ?\$?[\d.,]+")
SECONDS: Final = 2.0
"""A line on the search at most this often."""


class ProgressTeller:
    """Prints each phase's sentence; of what is counted and of the search's steps, one line every few seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._told = now()
        self._last = ""

    def __call__(self, event: ProgressEvent) -> None:
        """Tell of one event."""
        detail = event.detail or {}
        words = event.message
        if "candidate" in detail:
            usd = float(detail.get("usd") or 0.0)
            words = f"{detail.get('calls', 0)} calls so far{f', {output.money(usd)}' if usd else ''}"
        if " " not in words:
            return  # a bare word is a code for programs
        kind = _NUMBER.sub("", words)
        if kind == self._last and self._now() - self._told < SECONDS:
            return
        self._told, self._last = self._now(), kind
        output.notes().print(f"[dim]{event.phase:>8}[/]  {output.shown(words)}")
