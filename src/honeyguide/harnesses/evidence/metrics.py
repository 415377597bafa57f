"""Metrics: numbers that an evaluator recorded for a run. A batch is taken whole or not at all."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.records import RecordFile
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound

FILE: Final = "metrics.jsonl"
SCOPES: Final = ("case", "run", "eval")
DIRECTIONS: Final = ("maximize", "minimize")
MOST_METADATA_BYTES: Final = 16 * 1024
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")


@dataclass(frozen=True, slots=True)
class Metric:
    """One observation.

    Attributes:
        metadata: the evaluator's own; it never reaches a model.
        eval_id, case_key, repetition: which case was run, so that versions can be compared case by case.
        sequence: its number in the file, from 1.
    """

    run_id: str
    name: str
    value: float
    direction: str
    unit: str = ""
    source: str = ""
    scope: str = "run"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    idempotency_key: str = ""
    recorded_at: str = ""
    eval_id: str = ""
    case_key: str | None = None
    repetition: int = 0
    sequence: int = 0

    @property
    def series(self) -> tuple[str, str, str, str]:
        """What is never mixed: source, scope, unit, direction."""
        return self.source, self.scope, self.unit, self.direction

    def content(self) -> dict[str, Any]:
        """Return what must be equal for a duplicate."""
        data = asdict(self)
        for name in ("recorded_at", "sequence", "idempotency_key"):
            del data[name]
        return data


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a batch."""

    received: int
    inserted: int
    duplicates: int


class Metrics:
    """The metrics of one folder."""

    def __init__(self, ours: Path) -> None:
        self._file = RecordFile(ours / FILE)

    def all(self) -> list[Metric]:
        """Return every observation, oldest first, each once."""
        found: dict[str, Metric] = {}
        for number, record in enumerate(self._file.read(), start=1):
            try:
                metric = parse_metric(record)
            except InvalidInput:
                continue
            found.setdefault(metric.idempotency_key, replace(metric, sequence=number))
        return list(found.values())

    def record(self, batch: Sequence[Metric], known_runs: Iterable[str], recorded_at: str) -> Recorded:
        """Add a batch. Exact repetitions are counted and not added.

        Raises:
            NotFound: a run has no journal here.
            Conflict: a key already stands for something else; nothing is added.
        """
        runs = set(known_runs)
        with self._file.locked():
            known = {metric.idempotency_key: metric for metric in self.all()}
            fresh: list[Metric] = []
            for metric in batch:
                if metric.run_id not in runs:
                    raise NotFound(f"No run {metric.run_id!r} has a journal here.", hint="Nothing was recorded.")
                before = known.get(metric.idempotency_key)
                if before is None:
                    added = replace(metric, recorded_at=metric.recorded_at or recorded_at)
                    known[metric.idempotency_key] = added
                    fresh.append(added)
                elif before.content() != metric.content():
                    raise Conflict(
                        f"The key {metric.idempotency_key!r} already records something else.",
                        hint="Nothing was recorded; give a corrected value another source or key.",
                    )
            if fresh:
                self._file.add([{k: v for k, v in asdict(m).items() if k != "sequence"} for m in fresh])
        return Recorded(len(batch), len(fresh), len(batch) - len(fresh))


def parse_metric(data: Mapping[str, Any]) -> Metric:
    """Read one observation. Raises InvalidInput, naming the field."""
    run_id, name = _text(data, "run_id"), _text(data, "name")
    if not run_id:
        raise InvalidInput("A metric needs a run_id.")
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} is no metric name.", hint="It begins with a letter; letters, digits, _ . - follow."
        )
    value = data.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"The value of {name} must be a finite number.")
    direction, scope = _text(data, "direction"), _text(data, "scope") or "run"
    if direction not in DIRECTIONS:
        raise InvalidInput(f"The direction of {name} is 'maximize' or 'minimize'.")
    if scope not in SCOPES:
        raise InvalidInput(f"The scope of {name} is one of {', '.join(SCOPES)}.")
    unit, source = _text(data, "unit"), _text(data, "source")
    if len(unit) > 64 or len(source) > 128:
        raise InvalidInput(f"The unit of {name} has at most 64, its source at most 128 characters.")
    metadata = data.get("metadata") or {}
    if not isinstance(metadata, Mapping) or len(json.dumps(metadata, default=str)) > MOST_METADATA_BYTES:
        raise InvalidInput(f"The metadata of {name} must be an object of at most 16 KiB.")
    repetition = data.get("repetition") or 0
    if isinstance(repetition, bool) or not isinstance(repetition, int):
        raise InvalidInput(f"The repetition of {name} must be a whole number.")
    case_key = data.get("case_key")
    return Metric(
        run_id=run_id,
        name=name,
        value=float(value),
        direction=direction,
        unit=unit,
        source=source,
        scope=scope,
        metadata=dict(metadata),
        idempotency_key=_text(data, "idempotency_key") or metric_key(run_id, name, scope, source),
        recorded_at=_text(data, "recorded_at"),
        eval_id=_text(data, "eval_id"),
        case_key=None if case_key is None else str(case_key),
        repetition=repetition,
    )


def metric_key(run_id: str, name: str, scope: str, source: str) -> str:
    """Return the key of an observation that brings none of its own."""
    parts = {"name": name, "run_id": run_id, "scope": scope, "source": source}
    return (
        "metric_" + hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:32]
    )


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"'{name}' of a metric must be a text.")
    return value.strip()
