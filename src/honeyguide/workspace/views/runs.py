"""Runs as they are planned, followed, listed, shown and reviewed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from honeyguide.evals.finding import LABELS, Finding

if TYPE_CHECKING:
    from honeyguide.evolution.plan import Plan
    from honeyguide.storage.records import AttemptRecord, RunRecord

PRACTICE = "practice"


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What a run would do and cost."""

    target: str
    plan: Plan
    models: Mapping[str, str]
    examples: Mapping[str, int]
    dropped: Mapping[str, int]
    costs_money: bool
    together: tuple[str, ...] = ()

    @property
    def price_is_unknown(self) -> bool:
        """Whether a paid model has no price in the table."""
        return self.costs_money and self.plan.usd is None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        data = self.plan.to_json()
        return {
            **data,
            "usd": data["usd"] or {"low": None, "high": None},
            "target": self.target, "models": dict(self.models), "examples": dict(self.examples),
            "dropped": dict(self.dropped), "costs_money": self.costs_money,
            **({"together": list(self.together)} if self.together else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Where a run stands."""

    uuid: str
    phase: str
    message: str = ""
    detail: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return ``{phase, message, detail}``."""
        return {
            "phase": self.phase,
            "message": self.message,
            "detail": None if self.detail is None else dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of an attempt: the seed's result payload with the attempt's id, its proof and its spending."""

    uuid: str
    payload: Mapping[str, Any]
    run: RunRecord | None
    exit_code: int = 0

    @property
    def outcome(self) -> str:
        """``proposed``, ``skipped-…`` or ``aborted``."""
        return str(self.payload["outcome"])

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"uuid": self.uuid, **self.payload, "run": None if self.run is None else run_columns(self.run)}


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs and attempts: states, target, words, and a page."""

    status: Sequence[str] = ()
    kind: str | None = None
    name: str | None = None
    since: str | None = None
    limit: int | str | None = None
    offset: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt of any outcome."""

    record: AttemptRecord

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        record = self.record
        return {
            "uuid": record.uuid, "target_kind": record.target_kind, "target_name": record.target_name,
            "state": record.state, "status": record.shown_state, "reason": record.reason,
            "created_at": record.started_at, "finished_at": record.finished_at, "phase": record.phase,
            "finding": record.finding, "delta": record.delta, "calls": record.calls, "cost_usd": record.cost_usd,
            "model": record.model, "seed": record.seed,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunPage:
    """The seed's list of runs, with the attempts that made none beside it."""

    runs: tuple[RunRecord, ...]
    attempts: tuple[AttemptRow, ...]
    total: int

    def to_json(self) -> dict[str, Any]:
        """Return the public shape: ``{runs, count, attempts, total}``."""
        return {
            "runs": [run_columns(run) for run in self.runs],
            "count": len(self.runs),
            "attempts": [attempt.to_json() for attempt in self.attempts],
            "total": self.total,
        }


@dataclass(frozen=True, slots=True)
class RunTableRow:
    """One line of the run table, whatever came of the run.

    Attributes:
        state: what is shown: a run state once proposed, else the attempt's.
        words: the outcome in plain words.
        interval: of the gain; ``None`` when it was not measured.
        progress: share of the work done, 0 to 1; ``None`` when not running or unknown.
    """

    uuid: str
    state: str
    target_kind: str
    target_name: str
    finding: str | None
    words: str
    change: str
    delta: float | None
    interval: tuple[float, float] | None
    gate_verdict: str | None
    failed_gate: str | None
    cost_usd: float | None
    calls: int
    created_at: str
    progress: float | None
    message: str
    model: str | None
    needs_note: bool
    can_accept: bool


@dataclass(frozen=True, slots=True)
class RunDetail:
    """One run or attempt, with its proof.

    Attributes:
        run: the public row; ``None`` for an attempt that made none.
        receipt: ``{"stale": bool, "reasons": […]}``, recomputed now; ``None`` without a verification.
        suite: what the target's eval suite said of both texts, with every trial, and ``receipt_state`` like
            ``receipt``; ``None`` without a suite.
        texts: each text of a run on several, with its file, its changes and what the gates said; else empty.
    """

    attempt: AttemptRecord
    run: RunRecord | None
    verification: Mapping[str, Any] | None
    lineage: tuple[Mapping[str, Any], ...]
    receipt: Mapping[str, Any] | None
    decisions: tuple[Mapping[str, Any], ...] = ()
    suite: Mapping[str, Any] | None = None
    texts: tuple[Mapping[str, Any], ...] = ()

    @property
    def uuid(self) -> str:
        """The public id."""
        return self.attempt.uuid

    @property
    def status(self) -> str:
        """What the run table shows."""
        return self.run.status if self.run is not None else self.attempt.shown_state

    @property
    def grades_itself(self) -> bool:
        """Whether the model whose answers were measured graded them as well."""
        parts = ((self.verification or {}).get("receipt") or {}).get("parts") or {}
        executor = str(parts.get("executor_model", ""))
        return bool(executor) and executor == parts.get("judge_model") and not is_practice(executor)

    @property
    def can_resume(self) -> bool:
        """Whether it stopped before its end and can go on: interrupted, stopped by a person, broken off."""
        from honeyguide.storage import RESUMABLE

        return self.run is None and self.attempt.state in RESUMABLE

    @property
    def lost_connection(self) -> bool:
        """Whether it stopped because the model could not be reached, and can go on once it can."""
        from honeyguide.llm.failures import tells_of_no_connection

        return self.can_resume and tells_of_no_connection(self.attempt.reason or "")

    def baseline_schema(self) -> Mapping[str, Any] | None:
        """Return the structure of answers before the run: what the live text says of it, else what the run was given.

        ``None``: there was none, so every field of the proposed one is new.
        """
        if self.run is None:
            return None
        from honeyguide.evolution.answer_structure import read_section

        said = read_section(self.run.baseline_text)[1]
        if said is not None:
            return said.to_json()
        given: Mapping[str, Any] | None = self.attempt.options.get("schema_baseline")
        return given

    def to_json(self) -> dict[str, Any]:
        """Return the seed's run detail, with ``verification``, ``lineage``, ``spend`` and ``receipt``."""
        base = run_columns(self.run) if self.run is not None else _columns_of_attempt(self.attempt)
        return {
            **base,
            "winnerSchema": _parsed(base["winner_schema_json"], None),
            "baselineSchema": self.baseline_schema(),
            "artifacts": _parsed(base["artifacts_json"], None),
            "gateReasons": _parsed(base["gate_reasons_json"], []),
            "verification": None if self.verification is None else dict(self.verification),
            "lineage": [dict(entry) for entry in self.lineage],
            "spend": spend_of(self.attempt),
            "receipt": None if self.receipt is None else dict(self.receipt),
            "suite": None if self.suite is None else dict(self.suite),
            **({"texts": [dict(text) for text in self.texts]} if self.texts else {}),
            "attempt": AttemptRow(self.attempt).to_json(),
            "gradesItself": self.grades_itself,
            "decisions": [dict(entry) for entry in self.decisions],
            **({"model": PRACTICE} if is_practice(self.attempt.model) else {}),
        }


@dataclass(frozen=True, slots=True)
class StatusReport:
    """How many runs are in each state."""

    counts: Mapping[str, int]
    attempts: Mapping[str, int] = field(default_factory=dict)

    @property
    def pending(self) -> int:
        """How many proposals wait for a person."""
        return self.counts["proposed"]

    def to_json(self) -> dict[str, Any]:
        """Return the seed's shape and the attempts beside it."""
        return {"counts": dict(self.counts), "pendingCount": self.pending, "attempts": dict(self.attempts)}


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """A built dataset."""

    dataset_hash: str
    seed: int
    train: int
    validation: int
    holdout: int
    sourced: int
    dropped: Mapping[str, int]
    path: str | None
    preview: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "dataset_hash": self.dataset_hash, "seed": self.seed,
            "examples": {"train": self.train, "validation": self.validation, "holdout": self.holdout},
            "sourced": self.sourced, "dropped": dict(self.dropped), "path": self.path,
        }  # fmt: skip


def run_columns(run: RunRecord) -> dict[str, Any]:
    """Return every column of ``evolution_runs``."""
    return asdict(run)


def words_for(record: AttemptRecord) -> str:
    """Return the outcome of an attempt in plain words."""
    if record.state == "running":
        return "Running"
    if record.finding in set(Finding):
        return LABELS[Finding(str(record.finding))]
    return {
        "skipped-delta": "Not better",
        "skipped-gates": "Refused by a rule",
        "skipped-trigger": "Not enough history",
        "aborted": "Stopped",
        "interrupted": "Interrupted",
        "failed": "Failed",
    }.get(record.state, record.state)


def spend_of(record: AttemptRecord) -> dict[str, Any]:
    """Return the public ``spend`` of an attempt."""
    return {
        "calls": record.calls, "usd": record.cost_usd, "input_tokens": record.input_tokens,
        "output_tokens": record.output_tokens, "replayed_calls": record.replayed_calls,
    }  # fmt: skip


def is_practice(models: str | None) -> bool:
    """Say whether the practice model took part."""
    return models is not None and any(part.strip().startswith("practice:") for part in models.split(","))


def _columns_of_attempt(record: AttemptRecord) -> dict[str, Any]:
    return {
        "id": None, "run_uuid": record.uuid, "target_kind": record.target_kind, "target_name": record.target_name,
        "baseline_text": None, "winner_text": None, "winner_schema_json": None, "delta_accuracy": record.delta,
        "gate_verdict": record.gate_verdict, "gate_reasons_json": "[]", "status": record.shown_state,
        "artifacts_json": None, "user_note": None, "failure_reason": record.reason, "created_at": record.started_at,
        "decided_at": None, "deployed_at": None,
    }  # fmt: skip


def _parsed(text: str | None, otherwise: Any) -> Any:
    if text is None:
        return otherwise
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
