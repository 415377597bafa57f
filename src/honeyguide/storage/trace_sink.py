"""The store as a recorder's sink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.traces.records import Trace, TraceOutcome

if TYPE_CHECKING:
    from honeyguide.storage.store import Store


class StoredTraces:
    """``traces.recorder.TraceSink``: needs no event loop, safe from any thread; each call is one short transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def insert(self, trace: Trace) -> int:
        """As ``TraceSink.insert``."""
        return self._store.write_now(lambda unit: unit.traces.insert(trace)).id

    def update(self, trace_id: int, trace: Trace, expected: TraceOutcome) -> bool:
        """As ``TraceSink.update``."""
        return self._store.write_now(lambda unit: unit.traces.update(trace_id, trace, expected))

    def get(self, trace_id: int) -> Trace | None:
        """As ``TraceSink.get``."""
        return self._store.read_now(lambda unit: unit.traces.get(trace_id))
