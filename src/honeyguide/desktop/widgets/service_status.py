"""How the autonomous service stands, in three lines: whether it is on, what it did last, what it may still take."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import DaemonStatus


class ServiceStatus(QWidget):
    """Shows a ``DaemonStatus``; empty until there is one."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "service-status", self.tr("State of the autonomous service"))
        self.state = named(PlainLabel("", Type.BODY, strong=True), "service-state", self.tr("Autonomous service"))
        self.last = named(PlainLabel("", Type.CAPTION, Role.TEXT_2), "service-last", self.tr("Last look"))
        self.today = named(PlainLabel("", Type.CAPTION, Role.TEXT_2), "service-today", self.tr("Today"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Metrics.GRID, 0, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        for label in (self.state, self.last, self.today):
            column.addWidget(label)
        self.hide()

    def show_status(self, status: DaemonStatus) -> None:
        """Show how it stands now."""
        self.state.set_text(self._state(status))
        self.state.set_role(Role.GOOD if status.enabled and status.running else Role.TEXT)
        self.last.set_text(self._last(status))
        ready = sum(1 for target in status.targets if target.eligible)
        self.today.set_text(
            self.tr("Today {calls} of {most} calls and {usd} of {ceiling}. Ready targets: {n}.").format(
                calls=figures.whole(status.spent["calls"]), most=figures.whole(status.calls_per_day),
                usd=figures.money(status.spent["usd"]), ceiling=figures.money(status.usd_per_day),
                n=figures.whole(ready),
            )
        )  # fmt: skip
        self.show()

    def _state(self, status: DaemonStatus) -> str:
        if not status.enabled:
            return self.tr("Off. Nothing runs by itself.")
        running = status.running
        if running is None:
            return self.tr("On, but no program carries it out now.")
        return self.tr("On. Process {pid} on {host} carries it out; the next look is at {time}.").format(
            pid=running["pid"], host=running["host"], time=_time(status.next_tick)
        )

    def _last(self, status: DaemonStatus) -> str:
        last = status.last_tick
        if last is None:
            return self.tr("It has not looked yet.")
        target = str(last.get("target") or "").partition(":")[2]
        whose = self.tr("Last look {time}, at {target}: {reason}")
        words = whose if target else self.tr("Last look {time}: {reason}")
        return words.format(time=_time(str(last["at"])), target=target, reason=last.get("reason") or "")


def _time(text: str | None) -> str:
    return figures.exact_time(datetime.fromisoformat(text) if text else None)
