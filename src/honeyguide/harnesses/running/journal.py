"""Writes run journals that hiveloom reads: one event a line, each holding the hash of the line before it.

Redaction comes before a line is written or handed to anybody.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.kernel.clock import Clock
from honeyguide.kernel.errors import Conflict, Unwritable

MARKER: Final = ".hiveloom-trace-root"
_MARKER_TEXT: Final = "hiveloom-trace-root-v1\n"
SUMMARY_EVENTS: Final = frozenset(
    {
        "run_started", "run_finished", "tool_call", "tool_update", "tool_retry", "tool_result", "tool_spilled",
        "delegation_started", "delegation_finished", "guardrail_triggered", "verification_result",
        "model_swap", "playbook_switch",
    }
)  # fmt: skip
"""What a journal of level ``summary`` keeps; swaps stay, because without them a run looks like what it is not."""


def payload_hash(value: Any) -> str:
    """Return the 12 hex digits that journals name a payload by."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


class JournalWriter:
    """The journal of one run."""

    def __init__(
        self,
        trace_dir: Path,
        run_id: str,
        identity: tuple[str, str, str],
        clock: Clock,
        redactor: Redactor,
        *,
        level: str = "journal",
        on_event: Callable[[Mapping[str, Any]], None] = lambda event: None,
    ) -> None:
        """Create the file. ``identity`` is name, id and version hash of the harness. Raises Conflict, Unwritable."""
        self.run_id = run_id
        self.path = trace_dir / f"{run_id}.jsonl"
        self._name, self._id, self._version = identity
        self._clock = clock
        self._redactor = redactor
        self._summary = level == "summary"
        self._on_event = on_event
        self._seq = 0
        self._prev = ""
        try:
            trace_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            marker = trace_dir / MARKER
            if not marker.exists():
                marker.write_text(_MARKER_TEXT, encoding="ascii")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor: int | None = os.open(self.path, flags, 0o600)
        except FileExistsError as error:
            raise Conflict(
                f"There is a journal of a run {run_id!r} already.", hint="Give the run another id."
            ) from error
        except OSError as error:
            raise Unwritable(f"The journal of {run_id} cannot be written: {error.strerror}.") from error

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def next_seq(self) -> int:
        """The number of the event that comes next."""
        return self._seq

    def now(self) -> str:
        """Return the time as journals write it: UTC with microseconds."""
        return self._clock.now().isoformat(timespec="microseconds")

    def write(self, kind: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Append one event, redacted, and return it as it stands in the file. Raises Unwritable."""
        event: dict[str, Any] = {
            "run_id": self.run_id,
            "harness_name": self._name,
            "harness_id": self._id,
            "harness_version_hash": self._version,
            "seq": self._seq,
            "timestamp": self.now(),
            "type": kind,
            "prev": self._prev,
            "payload": self._redactor.payload(dict(payload)),
        }
        self._seq += 1
        if self._summary and kind not in SUMMARY_EVENTS:
            return event
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":"), default=str).encode(
            "utf-8", "backslashreplace"
        )
        if self._descriptor is None:
            raise Conflict(f"The journal of {self.run_id} is closed.")
        try:
            os.write(self._descriptor, line + b"\n")
        except OSError as error:
            raise Unwritable(f"The journal of {self.run_id} cannot be written: {error.strerror}.") from error
        self._prev = hashlib.sha256(line).hexdigest()
        self._on_event(event)
        return event

    def close(self) -> None:
        """Wait until all of it is on the disk; closing twice is harmless."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
