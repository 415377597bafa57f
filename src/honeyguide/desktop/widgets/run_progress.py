"""Where a running search stands: its phases, what it is doing, what it has cost, the best so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.models.live_search import LiveSearch
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures, paint_icon, qcolor
from honeyguide.desktop.theme.outcomes import stage_words, strategy_words
from honeyguide.desktop.widgets.charts import BestSoFarChart, ParetoChart, ProgressPoint
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.spend_meter import SpendMeter

PHASES = ("dataset", "compose", "gates", "verification", "done")


class PhaseLine(QWidget):
    """The phases of a run in their order: those behind, the present one, those to come."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("run-phases")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._words = {
            "dataset": self.tr("collect cases"),
            "compose": self.tr("search"),
            "gates": self.tr("check"),
            "verification": self.tr("prove"),
            "done": self.tr("done"),
        }
        self._at = 0
        self._is_stopped = False
        self.set_phase("dataset")

    def set_phase(self, phase: str) -> None:
        """Show the present phase; an unknown one changes nothing, and a run that was stopped is never done."""
        if phase in PHASES and not (self._is_stopped and phase == "done"):
            self._is_stopped = False
            self._at = PHASES.index(phase)
            said = self.tr("Step {n} of {all}: {phase}").format(
                n=self._at + 1, all=len(PHASES), phase=self._words[phase]
            )
            self.setAccessibleName(said)
            self.update()

    def set_stopped(self) -> None:
        """Say that the run ended in the present phase: what was to come never was."""
        self._is_stopped = True
        self.setAccessibleName(self.tr("Stopped at step {n} of {all}: {phase}").format(
            n=self._at + 1, all=len(PHASES), phase=self._words[PHASES[self._at]]
        ))  # fmt: skip
        self.update()

    @property
    def phase(self) -> str:
        """The present phase."""
        return PHASES[self._at]

    def sizeHint(self) -> QSize:
        return QSize(480, QFontMetrics(self.font()).height() + 14)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = 0.0
        middle = self.height() / 2
        for number, phase in enumerate(PHASES):
            is_now, is_behind = number == self._at, number < self._at
            painter.setFont(Metrics.font(strong=is_now))
            width = painter.fontMetrics().horizontalAdvance(self._words[phase])
            role = Role.TEXT if is_now or is_behind else Role.TEXT_2
            icon = "check" if is_behind or (is_now and phase == "done") else "running" if is_now else "ring"
            icon = "stop" if is_now and self._is_stopped else icon
            sign = QRectF(x, middle - 8, 16, 16)
            text = QRectF(x + 22, 0, width + 4, self.height())
            if mirrored:
                sign.moveLeft(self.width() - sign.right())
                text.moveLeft(self.width() - text.right())
            paint_icon(painter, icon, sign, Role.GOOD if is_behind else Role.ACCENT_TEXT if is_now else Role.FAINT)
            painter.setPen(qcolor(role))
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignHCenter, self._words[phase])
            x += 22 + width + 10
            if number < len(PHASES) - 1:
                painter.setPen(QPen(qcolor(Role.LINE), 1.5))
                line = (x, x + 28)
                if mirrored:
                    line = (self.width() - line[1], self.width() - line[0])
                painter.drawLine(int(line[0]), int(middle), int(line[1]), int(middle))
                x += 38
        painter.end()


class RunProgress(QWidget):
    """Fed with progress events as plain data. The buttons to pause and stop stand in the decision bar or the dialog.

    Signals:
        stop_requested()
    """

    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "run-progress", self.tr("Progress of the run"))
        self.phases = PhaseLine()
        self._bar = named(QProgressBar(), "run-bar", self.tr("Progress"))
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._said = PlainLabel("", selectable=True)
        self._said.setObjectName("run-said")
        self._candidate = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._candidate.setObjectName("run-candidate")
        self.spend = SpendMeter()
        self.best = BestSoFarChart()
        self.best.set_by("calls")
        self.pareto = ParetoChart()
        self._search = LiveSearch()
        charts = named(QSplitter(Qt.Orientation.Horizontal), "run-charts", self.tr("Charts"))
        charts.setChildrenCollapsible(False)
        charts.addWidget(self.best)
        charts.addWidget(self.pareto)
        self._max_calls: int | None = None
        self._max_usd: float | None = None
        self._costs_money = True
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        for part in (self.phases, self._bar, self._said, self._candidate, self.spend):
            column.addWidget(part)
        column.addWidget(charts, 1)

    def set_ceiling(self, max_calls: int | None, max_usd: float | None, *, costs_money: bool) -> None:
        """Say what the run may take at most."""
        self._max_calls, self._max_usd, self._costs_money = max_calls, max_usd, costs_money

    def set_run(self, calls: int, usd: float | None, is_paused: bool, so_far: Iterable[Mapping[str, Any]] = ()) -> None:
        """Begin to show a run; ``so_far`` are its events that told of candidates."""
        self.phases.set_phase("dataset")
        self._search = LiveSearch()
        for data in so_far:
            self._search.take(data)
        self._show_charts()
        self._bar.setValue(0)
        self._said.set_text(self.tr("Starting…"))
        self._candidate.set_text("")
        self._show_spend(calls, usd)
        self.set_paused(is_paused)

    def set_paused(self, paused: bool) -> None:
        """Say that the run is held, or goes on."""
        if paused:
            self._said.set_text(self.tr("Paused. No call is made until you let it go on."))

    def take(self, data: Mapping[str, Any]) -> None:
        """Show one progress event (``{phase, message, detail}``)."""
        detail = data.get("detail") or {}
        phase = str(data.get("phase", ""))
        message = str(data.get("message") or "")
        if phase == "done" and message == "aborted":
            self.phases.set_stopped()
        else:
            self.phases.set_phase("verification" if detail.get("stage") == "verification" else phase)
        # The last event of a run names its outcome by code; the sentence about it follows.
        is_code = phase == "done" and " " not in message
        said = stage_words(detail) or ("" if is_code else spoken(message))
        if said:
            self._said.set_text(said)
        done, planned = detail.get("done"), detail.get("planned")
        if isinstance(done, int) and isinstance(planned, int) and planned > 0:
            self._bar.setValue(round(1000 * min(done / planned, 1.0)))
        elif self._max_calls and isinstance(detail.get("calls"), int):
            self._bar.setValue(round(1000 * min(int(detail["calls"]) / self._max_calls, 1.0)))
        if isinstance(detail.get("calls"), int):
            usd = detail.get("usd")
            self._show_spend(int(detail["calls"]), float(usd) if isinstance(usd, int | float) else None)
        self._show_candidate(detail)
        if self._search.take(data):
            self._show_charts()

    def _show_charts(self) -> None:
        """Draw what was measured; the charts put many changes together."""
        measured = self._search.measured()
        self.pareto.set_candidates(one.candidate for one in measured)
        self.best.set_baseline(self._search.baseline())
        self.best.set_points(
            ProgressPoint(
                one.candidate.generation,
                one.calls,
                one.candidate.overall or 0.0,
                one.usd,
                is_comparable=one.candidate.is_comparable,
            )
            for one in measured
        )

    def _show_candidate(self, detail: Mapping[str, Any]) -> None:
        candidate = detail.get("candidate") or {}
        if not candidate:
            return
        scores = candidate.get("scores") or {}
        overall = scores.get("overall")
        words = strategy_words(str(candidate.get("strategy") or candidate.get("id") or ""))
        if isinstance(overall, int | float) and scores.get("n"):
            said = self.tr("{what}, score {score} on {n} cases")
            words = said.format(what=words, score=figures.score(float(overall)), n=figures.whole(int(scores["n"])))
        self._candidate.set_text(self.tr("Newest candidate: {words}").format(words=words))

    def _show_spend(self, calls: int, usd: float | None) -> None:
        self.spend.set_spend(
            calls, usd, max_calls=self._max_calls, max_usd=self._max_usd, costs_money=self._costs_money
        )
