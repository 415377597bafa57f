"""The handle of one trace while it is recorded."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from honeyguide.traces.records import Trace, TraceOutcome

if TYPE_CHECKING:
    from honeyguide.traces.recorder import TraceRecorder


class RecordedRun:
    """One trace while it is recorded. Leaving the ``with`` block without ``finish`` ends it as abandoned.

    Attributes:
        trace_id: its id in the store.
    """

    def __init__(self, recorder: TraceRecorder, trace_id: int) -> None:
        self._recorder = recorder
        self.trace_id = trace_id
        self._finished = False

    def record_reasoning(self, content: str) -> None:
        """See ``TraceRecorder.record_reasoning``."""
        self._recorder.record_reasoning(self.trace_id, content)

    def start_tool_call(self, tool: str, args: Any = None) -> str:
        """See ``TraceRecorder.start_tool_call``."""
        return self._recorder.start_tool_call(self.trace_id, tool, args)

    def complete_tool_call(self, call_id: str, result: Any = None, *, ok: bool = True) -> None:
        """See ``TraceRecorder.complete_tool_call``."""
        self._recorder.complete_tool_call(self.trace_id, call_id, result, ok=ok)

    def record_tool_call(
        self, tool: str, args: Any = None, result: Any = None, *, ok: bool | None = True, duration_ms: int | None = None
    ) -> None:
        """See ``TraceRecorder.record_tool_call``."""
        self._recorder.record_tool_call(self.trace_id, tool, args, result, ok=ok, duration_ms=duration_ms)

    def record_artifact(self, artifact: str) -> None:
        """See ``TraceRecorder.record_artifact``."""
        self._recorder.record_artifact(self.trace_id, artifact)

    def flush(self) -> None:
        """See ``TraceRecorder.flush``."""
        self._recorder.flush(self.trace_id)

    def finish(self, output: str = "", outcome: TraceOutcome = TraceOutcome.SUCCESS, **details: Any) -> Trace:
        """End the trace; ``details`` are those of ``TraceRecorder.finalize``."""
        trace = self._recorder.finalize(self.trace_id, outcome, output, **details)
        self._finished = True
        return trace

    def mark_corrected(self, feedback: str) -> Trace:
        """See ``TraceRecorder.mark_corrected``."""
        trace = self._recorder.mark_corrected(self.trace_id, feedback)
        self._finished = True
        return trace

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._finished:
            return
        detail = "not finished" if error is None else f"error: {type(error).__name__}: {error}"
        self._recorder.finalize(self.trace_id, TraceOutcome.ABANDONED, outcome_detail=detail[:500])
        self._finished = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)
