"""Who is told of every child process, so that it can be ended even when this program is gone."""

from __future__ import annotations

import subprocess
from typing import Protocol


class ProcessWatcher(Protocol):
    """Notes running children, so that they can be ended even when this program is gone."""

    def started(self, process: subprocess.Popen[bytes]) -> None:
        """A child was started."""
        ...

    def ended(self, process: subprocess.Popen[bytes]) -> None:
        """It is gone, with its whole group."""
        ...


class NoWatcher:
    """Notes nothing."""

    def started(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing."""

    def ended(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing."""
