"""Flows and their proposals as front ends see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.feedback import FailureClass
from honeyguide.flows.after_run import AfterRun
from honeyguide.flows.runs import FlowRun


@dataclass(frozen=True, slots=True)
class FlowRow:
    """One line of the list of proposals."""

    run: FlowRun

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return self.run.to_json()


@dataclass(frozen=True, slots=True)
class FlowList:
    """Proposals, newest first.

    Attributes:
        damaged: ids of runs whose state cannot be read.
    """

    runs: tuple[FlowRow, ...]
    damaged: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"runs": [row.to_json() for row in self.runs], "total": len(self.runs), "damaged": list(self.damaged)}


@dataclass(frozen=True, slots=True)
class FlowRunDetail:
    """One proposal with its proof.

    Attributes:
        before, after: the flow's text; ``after`` is empty without a proposal.
        receipt_changed: what the proof rests on that is not as it was; ``None`` when nobody can say, with the reason.
        journal_is_whole: whether the journal's hashes fit.
        doubts: what must be doubted of an imported run.
    """

    run: FlowRun
    decision: Mapping[str, Any] | None
    before: str
    after: str
    diff: str
    current: Mapping[str, Any] | None
    proposal: Mapping[str, Any] | None
    receipt: Mapping[str, Any] | None
    receipt_changed: tuple[str, ...] | None
    receipt_problem: str
    journal: tuple[Mapping[str, Any], ...]
    journal_is_whole: bool
    doubts: tuple[str, ...] = ()

    @property
    def receipt_state(self) -> str:
        """``current``, ``stale``, ``missing`` or ``unknown``."""
        if self.receipt is None:
            return "missing"
        if self.receipt_changed is None:
            return "unknown"
        return "stale" if self.receipt_changed else "current"

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        run = self.run
        return {
            "run": run.to_json(),
            "invocations": f"{run.actual_invocations}/{run.planned_invocations}",
            "decision": self.decision,
            "capabilityDiff": run.capability_diff,
            "diff": self.diff or None,
            "current": self.current,
            "proposal": self.proposal,
            "receipt": {
                "state": self.receipt_state,
                "changed": list(self.receipt_changed or ()),
                "problem": self.receipt_problem or None,
                "recorded": self.receipt,
            },
            "journal": list(self.journal),
            "journalIsWhole": self.journal_is_whole,
            "doubts": list(self.doubts),
        }


@dataclass(frozen=True, slots=True)
class FlowRunResult:
    """What one run of a flow printed, and what follows.

    Attributes:
        is_document: the file is no flow, so its text was shown instead of being run.
        job: the background job that was queued.
    """

    stdout: str
    stderr: str
    exit_code: int
    engine: str
    is_document: bool = False
    timed_out: bool = False
    after: AfterRun | None = None
    job: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())
    failure: FailureClass | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "stdout": self.stdout,
            "stderr": self.stderr,
            "exitCode": self.exit_code,
            "timedOut": self.timed_out,
            "failureClass": None if self.failure is None else self.failure.value,
            "engine": self.engine,
            "document": self.is_document,
            "after": self.after.to_json() if self.after else None,
            "job": self.job,
            "notes": list(self.notes),
        }
