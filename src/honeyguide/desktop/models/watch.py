"""Whether each deployment helped: corrections and failures before and after it, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.kernel.clock import parse_iso


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened in ``n`` sessions; ``share`` is ``None`` without any."""

    count: int
    n: int
    share: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class WatchLine:
    """One deployment; ``change`` is of the share of corrected sessions, after minus before, with its interval."""

    n: int
    deployed_at: datetime | None
    corrections: tuple[Rate, Rate]
    failures: tuple[Rate, Rate]
    change: float | None
    interval: tuple[float, float] | None
    verdict: str
    suggests_rollback: bool


class WatchModel(IndexedTableModel[WatchLine]):
    """The deployments of one target, newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("n", tr("WatchModel", "Version"), 8, fixed=True),
                Column("deployed_at", tr("WatchModel", "Since"), 9, right=True),
                Column(
                    "corrections",
                    tr("WatchModel", "Corrected"),
                    15,
                    right=True,
                    tip=tr("WatchModel", "Share of sessions in which a person corrected the agent, before and after"),
                ),
                Column("change", tr("WatchModel", "Difference"), 18, right=True),
                Column(
                    "failures",
                    tr("WatchModel", "Given up"),
                    15,
                    right=True,
                    tip=tr("WatchModel", "Share of sessions that ended without a result, before and after"),
                ),
                Column("verdict", tr("WatchModel", "Did it help"), 30, stretch=True, fixed=True),
            ),
            parent,
        )

    def key(self, row: WatchLine) -> int:
        return row.n

    def raw(self, row: WatchLine, column: int) -> Any:
        return self.cell(row, column).text

    def cell(self, row: WatchLine, column: int) -> Cell:
        name = self.columns[column].id
        if name == "n":
            return Cell(str(row.n))
        if name == "deployed_at":
            age = figures.age(row.deployed_at, datetime.now(UTC))
            return Cell(age, Role.TEXT_2, right=True, tip=figures.exact_time(row.deployed_at))
        if name == "verdict":
            role, icon = (Role.BAD, "warning") if row.suggests_rollback else (Role.TEXT_2, "")
            return Cell(one_line(row.verdict, 300), role, icon, tip=row.verdict)
        if name == "change":
            better = row.interval is not None and row.interval[1] < 0
            worse = row.interval is not None and row.interval[0] > 0
            role = Role.GOOD if better else Role.BAD if worse else Role.TEXT
            return Cell(figures.gain(row.change, row.interval) if row.change is not None else "–", role, right=True)
        pair = row.corrections if name == "corrections" else row.failures
        tip = "\n".join(_about(rate) for rate in pair)
        return Cell(" → ".join(_share(rate) for rate in pair), right=True, tip=tip, spoken=tip)


def watch_line(data: Mapping[str, Any], verdict: str, suggests_rollback: bool) -> WatchLine:
    """Return one deployment as its public shape tells of it."""
    corrections = data["corrections"]
    before, after = _rate(corrections["before"]), _rate(corrections["after"])
    knows = before.n > 0 and after.n > 0
    interval = corrections.get("interval")
    return WatchLine(
        n=int(data["n"]),
        deployed_at=parse_iso(data["deployed_at"]) if data.get("deployed_at") else None,
        corrections=(before, after),
        failures=(_rate(data["failures"]["before"]), _rate(data["failures"]["after"])),
        change=corrections.get("delta") if knows else None,
        interval=(interval[0], interval[1]) if knows and interval else None,
        verdict=verdict,
        suggests_rollback=suggests_rollback,
    )


def _rate(data: Mapping[str, Any]) -> Rate:
    interval = data.get("interval")
    n = int(data.get("n") or 0)
    return Rate(
        int(data.get("count") or 0), n, data.get("rate") if n else None,
        (interval[0], interval[1]) if n and interval else None,
    )  # fmt: skip


def _share(rate: Rate) -> str:
    return "–" if rate.share is None else figures.percent(rate.share)


def _about(rate: Rate) -> str:
    tr = QCoreApplication.translate
    if rate.interval is None:
        return tr("WatchModel", "no session yet")
    low, high = (figures.percent(end) for end in rate.interval)
    said = tr("WatchModel", "{count} of {n} sessions: {share}, between {low} and {high}")
    return said.format(count=figures.whole(rate.count), n=figures.whole(rate.n), share=_share(rate), low=low, high=high)
