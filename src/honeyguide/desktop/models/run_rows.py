"""One line of the run table, and the columns it is shown in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.models.columns import Column


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run.

    Attributes:
        state: as the store shows it: ``proposed``, ``running``, ``skipped-delta``, …
        outcome: of the verification, e.g. ``verified_improvement``; ``None`` before one.
        change: what it changes, in one sentence.
        delta, interval: gain in score (0.14 is 14 points) and its interval.
        failed_gate: the check that refused it. ``gates``: ``pass``, ``fail`` or empty.
        cost_usd: ``None`` is unknown. ``progress``: 0 to 1 while it runs.
        partial: only the fields of the thin index are known; the rest is on its way.
    """

    uuid: str
    state: str
    kind: str
    name: str
    created_at: datetime
    outcome: str | None = None
    change: str = ""
    delta: float | None = None
    interval: tuple[float, float] | None = None
    gates: str = ""
    failed_gate: str = ""
    cost_usd: float | None = None
    calls: int | None = None
    progress: float | None = None
    phase: str = ""
    model: str = ""
    note: str = ""
    partial: bool = False


def run_columns() -> tuple[Column, ...]:
    """Return the columns of the run table."""
    translate = QCoreApplication.translate
    return (
        Column("outcome", translate("RunTableModel", "Outcome"), 25, fixed=True),
        Column("target", translate("RunTableModel", "Target"), 20, fixed=True),
        Column("kind", translate("RunTableModel", "Kind"), 13, shown=False),
        Column("proof", translate("RunTableModel", "Proof"), 20, shown=False),
        Column("change", translate("RunTableModel", "Change"), 34, stretch=True),
        Column(
            "gain",
            translate("RunTableModel", "Gain"),
            14,
            translate("RunTableModel", "Points on unseen cases, with the interval"),
            right=True,
        ),
        Column("gates", translate("RunTableModel", "Checks"), 15, shown=False),
        Column("cost", translate("RunTableModel", "Cost"), 9, right=True),
        Column("calls", translate("RunTableModel", "Calls"), 8, right=True, shown=False),
        Column("model", translate("RunTableModel", "Model"), 16, shown=False),
        Column("age", translate("RunTableModel", "Age"), 12, right=True),
    )
