"""One version of a harness as it is shown: how it did and how it came about, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.plain_text import one_line


@dataclass(frozen=True, slots=True)
class HarnessPoint:
    """One version.

    Attributes:
        version: its hash. ``since``: when it first ran or was made; ``None`` when nobody knows.
        rate: share of finished runs that succeeded; ``None`` without one. ``interval``: of it, 95 %.
        came_by: ``found``, ``applied`` or ``rolled back``.
    """

    version: str
    is_live: bool
    is_kept: bool
    since: datetime | None
    runs: int
    successes: int
    incomplete: int
    rate: float | None
    interval: tuple[float, float] | None
    cost_per_success: float | None
    came_by: str = "found"
    why: str = ""
    who: str = ""
    proof: str = ""

    @property
    def finished(self) -> int:
        """Runs that ended one way or the other."""
        return self.runs - self.incomplete


def title_of(point: HarnessPoint) -> str:
    tr = QCoreApplication.translate
    title = point.version
    return f"{title} · {tr('HarnessTimeline', 'live now')}" if point.is_live else title


def did(point: HarnessPoint) -> str:
    """Return how a version did, in words."""
    tr = QCoreApplication.translate
    if not point.runs:
        return tr("HarnessTimeline", "It has not run yet.")
    parts = [
        tr("HarnessTimeline", "{good} of {n} runs succeeded").format(
            good=figures.whole(point.successes), n=figures.whole(point.finished)
        )
    ]
    if point.rate is not None and point.interval is not None:
        low, high = (figures.decimal(end * 100, 0) for end in point.interval)
        said = tr("HarnessTimeline", "{share} ({low} to {high})")
        parts.append(said.format(share=figures.percent(point.rate), low=low, high=high))
    if point.cost_per_success is not None:
        parts.append(tr("HarnessTimeline", "{cost} a success").format(cost=figures.money(point.cost_per_success)))
    if point.incomplete:
        parts.append(tr("HarnessTimeline", "{n} never ended").format(n=figures.whole(point.incomplete)))
    return " · ".join(parts)


def came_about(point: HarnessPoint) -> str:
    """Return how a version came about, in words; empty when it was found so."""
    if point.came_by == "found":
        return ""
    tr = QCoreApplication.translate
    parts = [f"“{one_line(point.why, 200)}”"] if point.why else []
    if point.came_by == "rolled back":
        parts = [tr("HarnessTimeline", "gone back to")]
    if point.who:
        parts.append(one_line(point.who, 40))
    if point.proof:
        parts.append(point.proof)
    return " · ".join(parts)
