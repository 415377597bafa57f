"""Outcomes: what the world said of a run afterwards. The last label holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.records import RecordFile
from honeyguide.kernel.errors import InvalidInput, NotFound

FILE: Final = "outcomes.jsonl"
OUTCOMES: Final = ("success", "failure")


@dataclass(frozen=True, slots=True)
class Label:
    """One label; ``recorded_at`` is UTC, ISO 8601."""

    run_id: str
    outcome: str
    source: str = ""
    detail: str = ""
    recorded_at: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the body of ``harness outcome --json``."""
        return {"ok": True, **asdict(self)}


class Labels:
    """The labels of one folder."""

    def __init__(self, ours: Path) -> None:
        self._file = RecordFile(ours / FILE)

    def all(self) -> dict[str, Label]:
        """Return the label that holds, by run."""
        found: dict[str, Label] = {}
        for record in self._file.read():
            label = _read(record)
            if label is not None:
                before = found.get(label.run_id)
                if before is None or label.recorded_at >= before.recorded_at:
                    found[label.run_id] = label
        return found

    def record(self, label: Label, known_runs: Iterable[str]) -> Label:
        """Add a label. Raises InvalidInput, NotFound (no such run here)."""
        if label.outcome not in OUTCOMES:
            raise InvalidInput(f"An outcome is 'success' or 'failure', not {label.outcome!r}.")
        if label.run_id not in set(known_runs):
            raise NotFound(f"No run {label.run_id!r} has a journal here.", hint="See 'harness stats' for the runs.")
        self._file.add([asdict(label)])
        return label


def outcomes_of(labels: Mapping[str, Label]) -> dict[str, str]:
    """Return run id to outcome."""
    return {run_id: label.outcome for run_id, label in labels.items()}


def _read(record: Mapping[str, Any]) -> Label | None:
    values = [record.get(name, "") for name in ("run_id", "outcome", "source", "detail", "recorded_at")]
    if not all(isinstance(value, str) for value in values) or values[1] not in OUTCOMES:
        return None
    return Label(*values)
