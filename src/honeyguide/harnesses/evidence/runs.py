"""One run, summed up from its journal: everything that statistics, clusters and signals need, and no more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from honeyguide.harnesses.evidence.features import features_of
from honeyguide.harnesses.evidence.friction import Friction, friction_of
from honeyguide.traces.readers.hiveloom import JournalRun

TASK_CHARACTERS: Final = 2000
OUTPUT_CHARACTERS: Final = 4000
INCOMPLETE: Final = "incomplete"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one validator said of one output."""

    seq: int
    verifier: str
    passed: bool
    feedback: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """A guardrail that stepped in; ``kind`` is ``block`` or ``halt``."""

    seq: int
    guardrail: str
    kind: str
    reason: str
    hook: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """A switch to a playbook, or a refused one."""

    playbook: str
    ok: bool


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run.

    Attributes:
        key: what it is kept under: the harness's id, or its name.
        status: as the journal ends; ``incomplete`` when it does not, which is neither success nor failure.
        off_spec_swap: whether somebody changed the model from outside the spec.
        events: how many the journal holds.
        trace: the journal's path relative to the folder of journals.
        chain: ``intact``, ``unchained`` or ``broken``.
        spec_recorded: whether the journal holds the spec it ran with.
    """

    run_id: str
    harness_name: str
    harness_id: str
    key: str
    version: str
    status: str = INCOMPLETE
    turns: int = 0
    cost_usd: float = 0.0
    duration_seconds: float = 0.0
    started_at: str | None = None
    finished_at: str | None = None
    reason: str = ""
    parent_run_id: str | None = None
    lineage_kind: str | None = None
    forked_at_seq: int | None = None
    model_path: str = ""
    off_spec_swap: bool = False
    task: str | None = None
    output: str | None = None
    requested_provider: str = ""
    requested_model: str = ""
    effective_provider: str = ""
    effective_model: str = ""
    execution_fingerprint: str = ""
    hiveloom_version: str = ""
    events: int = 0
    trace: str = ""
    chain: str = "intact"
    verdicts: tuple[Verdict, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    visits: tuple[Visit, ...] = ()
    friction: tuple[Friction, ...] = ()
    features: tuple[str, ...] = field(default=())

    @property
    def is_success(self) -> bool:
        return self.status == "success"

    @property
    def is_finished(self) -> bool:
        """Whether it ended in any way; only such runs count as success or failure."""
        return self.status != INCOMPLETE

    @property
    def is_failure(self) -> bool:
        return self.is_finished and not self.is_success

    @property
    def model(self) -> str:
        """The model that answered, as far as it is known."""
        return self.effective_model or self.requested_model or self.model_path

    @property
    def completeness(self) -> tuple[bool, int]:
        """What decides between two copies of a run: finished first, then the longer one."""
        return self.is_finished, self.events

    def to_row(self) -> dict[str, Any]:
        """Return the run for the index, without what is empty."""
        data = {k: v for k, v in asdict(self).items() if v not in (None, "", 0, 0.0, False, (), [])}
        data["friction"] = [f.to_row() for f in self.friction]
        return data

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> RunSummary:
        """Read what ``to_row`` wrote. Raises TypeError, KeyError, ValueError for anything else."""
        data = dict(row)
        data["verdicts"] = tuple(Verdict(**v) for v in data.get("verdicts", ()))
        data["triggers"] = tuple(Trigger(**t) for t in data.get("triggers", ()))
        data["visits"] = tuple(Visit(**v) for v in data.get("visits", ()))
        data["friction"] = tuple(Friction.from_row(data["run_id"], f) for f in data.get("friction", ()))
        data["features"] = tuple(data.get("features", ()))
        data.setdefault("harness_name", "")
        data.setdefault("harness_id", "")
        data.setdefault("key", "")
        data.setdefault("version", "")
        return cls(**data)


def summarise(run: JournalRun, *, trace: str = "", chain: str = "intact") -> RunSummary:
    """Sum up the journal of one run."""
    started, finished = run.started, run.finished
    row: dict[str, Any] = {
        "run_id": run.run_id,
        "harness_name": run.harness_name,
        "harness_id": run.harness_id,
        "key": run.harness_id or run.harness_name,
        "version": run.version,
        "events": len(run.events),
        "trace": trace,
        "chain": chain,
        "status": INCOMPLETE,
        "reason": "",
        "effective_model": "",
        "requested_model": "",
    }
    if started is not None:
        row |= _of_the_start(started.payload) | {"started_at": started.timestamp or None}
    if finished is not None:
        row |= _of_the_end(finished.payload) | {"finished_at": finished.timestamp or None}
    verdicts, triggers, visits = [], [], []
    for event in run.events:
        payload, seq = event.payload, event.seq or 0
        if event.type == "verification_result":
            passed = bool(payload.get("passed"))
            verdicts.append(Verdict(seq, _text(payload, "verifier"), passed, _text(payload, "feedback")))
        elif event.type == "guardrail_triggered":
            names = ("guardrail", "kind", "reason", "hook")
            triggers.append(Trigger(seq, *(_text(payload, name) for name in names)))
        elif event.type == "model_swap" and payload.get("source") != "playbook":
            row["off_spec_swap"] = True
        elif event.type == "playbook_switch":
            visits.append(Visit(_text(payload, "to"), bool(payload.get("ok"))))
    friction = friction_of(run.events, row)
    return RunSummary(
        **row,
        verdicts=tuple(verdicts),
        triggers=tuple(triggers),
        visits=tuple(visits),
        friction=friction,
        features=features_of(run, friction),
    )


def with_place(run: RunSummary, trace: str) -> RunSummary:
    """Return the run as found in another file."""
    return replace(run, trace=trace)


def _of_the_start(payload: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"hiveloom_version": _text(payload, "hiveloom_version")}
    if isinstance(task := payload.get("input"), str):
        row["task"] = task[:TASK_CHARACTERS]
    lineage = payload.get("lineage")
    if isinstance(lineage, dict):
        parent = _text(lineage, "parent_run_id") or None
        row["parent_run_id"] = parent
        row["forked_at_seq"] = _whole(lineage.get("forked_at_seq"))
        row["lineage_kind"] = _text(lineage, "kind") or ("fork" if parent else None)
    return row


def _of_the_end(payload: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "status": _text(payload, "status") or INCOMPLETE,
        "turns": _whole(payload.get("turns")) or 0,
        "cost_usd": _number(payload.get("cost_usd")),
        "duration_seconds": _number(payload.get("duration_seconds")),
        "reason": _text(payload, "reason"),
        "model_path": _text(payload, "model_path"),
    }
    execution = payload.get("execution")
    if isinstance(execution, dict):
        for name in (
            "requested_provider", "requested_model", "effective_provider", "effective_model", "execution_fingerprint",
        ):  # fmt: skip
            row[name] = _text(execution, name)
    if isinstance(output := payload.get("output"), str) and output:
        row["output"] = output[:OUTPUT_CHARACTERS]
    return row


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
