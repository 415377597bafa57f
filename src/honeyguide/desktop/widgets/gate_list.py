"""The checks a proposal passed or failed, each with its reason and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.theme.outcomes import gate_words
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.painting import begin_paint
from honeyguide.desktop.widgets.states import RoleIcon


@dataclass(frozen=True, slots=True)
class GateRow:
    """What one check said.

    Attributes:
        gate: its stable name. ``verdict``: ``pass``, ``fail``, ``warn``, or ``skipped`` (not asked).
        reason: one sentence.
        where: (start, end) in characters of the proposed text; ``None`` when it has no place.
        group: a heading it stands under, e.g. ``Receipt``; empty for the checks themselves.
        words: its name in plain words; found by itself when empty.
    """

    gate: str
    verdict: str
    reason: str = ""
    where: tuple[int, int] | None = None
    group: str = ""
    words: str = ""


_SIGNS = {
    "pass": ("good", Role.GOOD),
    "fail": ("bad", Role.BAD),
    "warn": ("warning", Role.WARN),
    "skipped": ("skipped", Role.TEXT_2),
}


class GateList(QScrollArea):
    """Failed checks first, then the others in their order; the sum of it on top.

    Signals:
        place_requested(start, end): show this place of the proposed text.
    """

    place_requested = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("gate-list")
        self.setAccessibleName(self.tr("Checks"))
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rows: tuple[GateRow, ...] = ()
        self.set_gates(())

    def gates(self) -> tuple[GateRow, ...]:
        """Return the checks shown."""
        return self._rows

    @property
    def summary(self) -> str:
        """The sum in words."""
        failed = sum(row.verdict == "fail" for row in self._rows)
        asked = sum(row.verdict != "skipped" for row in self._rows)
        if not self._rows:
            return self.tr("No check has been made yet. They are made when a candidate is ready.")
        doubtful = sum(row.verdict == "warn" for row in self._rows)
        if not failed and doubtful:
            return self.tr("{passed} of {asked} checks passed; look at the rest.").format(
                passed=asked - doubtful, asked=asked
            )
        if not failed:
            return self.tr("All %n checks passed.", "", asked) if asked != 1 else self.tr("The one check passed.")
        said = self.tr("{failed} of {asked} checks failed.")
        return said.format(failed=failed, asked=asked)

    def set_gates(self, rows: Sequence[GateRow]) -> None:
        """Show these checks."""
        self._rows = tuple(rows)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.MARGIN)
        column.setSpacing(0)
        column.addWidget(PlainLabel(self.summary, strong=bool(rows)))
        column.addSpacing(Metrics.GAP)
        widths = self._widths()
        groups = dict.fromkeys(row.group for row in rows)
        for group in groups:
            if group:
                column.addSpacing(Metrics.GAP_2)
                column.addWidget(PlainLabel(group, Type.CAPTION, Role.TEXT_2))
                column.addSpacing(Metrics.GRID)
            members = [row for row in rows if row.group == group]
            for row in sorted(members, key=lambda row: row.verdict != "fail"):
                column.addWidget(self._line(row, widths))
        column.addStretch(1)
        self.setWidget(body)

    def _verdict_words(self, verdict: str) -> str:
        return {
            "pass": self.tr("passed"),
            "fail": self.tr("failed"),
            "warn": self.tr("look at this"),
            "skipped": self.tr("not asked"),
        }.get(verdict, verdict)

    def _widths(self) -> tuple[int, int]:
        """Return how wide names and verdicts are, so that they stand under each other in every language."""
        strong = QFontMetrics(Metrics.font(Type.BODY, strong=True))
        names = [strong.horizontalAdvance(row.words or gate_words(row.gate)) for row in self._rows]
        verdicts = [strong.horizontalAdvance(self._verdict_words(row.verdict)) for row in self._rows]
        most = Metrics.characters(40)
        return min(max(names, default=0), most) + Metrics.GAP, min(max(verdicts, default=0), most) + Metrics.GAP

    def _line(self, row: GateRow, widths: tuple[int, int]) -> QWidget:
        icon, role = _SIGNS.get(row.verdict, ("question", Role.WARN))
        words = row.words or gate_words(row.gate)
        verdict = self._verdict_words(row.verdict)
        line = _Line()
        line.setObjectName(f"gate-{row.gate}")
        line.setAccessibleName(f"{words}: {verdict}. {row.reason}")
        line.setToolTip(tooltip(row.gate))
        grid = QGridLayout(line)
        grid.setContentsMargins(0, Metrics.GAP, 0, Metrics.GAP)
        grid.setHorizontalSpacing(Metrics.GAP)
        grid.setVerticalSpacing(2)
        grid.addWidget(RoleIcon(icon, role=role), 0, 0, Qt.AlignmentFlag.AlignTop)
        name = PlainLabel(words, strong=row.verdict == "fail", wrap=False)
        name.setMinimumWidth(widths[0])
        grid.addWidget(name, 0, 1, Qt.AlignmentFlag.AlignTop)
        said = PlainLabel(verdict, role=role if row.verdict != "pass" else Role.TEXT_2, wrap=False)
        said.setMinimumWidth(widths[1])
        grid.addWidget(said, 0, 2, Qt.AlignmentFlag.AlignTop)
        reason = PlainLabel(row.reason, role=Role.TEXT_2 if row.verdict != "fail" else Role.TEXT, selectable=True)
        grid.addWidget(reason, 0, 3, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(3, 1)
        if row.where is not None:
            start, end = row.where
            show = Button(self.tr("Show the place"), f"gate-{row.gate}-place", look=Look.LINK)
            show.setAccessibleName(self.tr("Show the place: {check}").format(check=words))
            show.clicked.connect(lambda: self.place_requested.emit(start, end))
            grid.addWidget(show, 0, 4, Qt.AlignmentFlag.AlignTop)
        return line


class _Line(QWidget):
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, qcolor(Role.LINE, 0.55))
        painter.end()
