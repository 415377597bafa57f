"""Small pictures of figures: wins and losses, a gain with its interval, a limit and how much of it is used."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, figures, paint_icon, qcolor
from honeyguide.desktop.theme.outcomes import verdict_wording
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.painting import begin_paint

_VERDICTS = ("better", "same", "worse", "unscored")


class WinsBar(QWidget):
    """How many examples got better, stayed the same, got worse or have no verdict; each with its words and number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("wins-bar")
        self.setFont(Metrics.font(tabular=True))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._counts = dict.fromkeys(_VERDICTS, 0)
        self._labelled = True
        self.set_counts()

    def set_labelled(self, on: bool) -> None:
        """Write the numbers under the bar, or leave that to chips beside it."""
        self._labelled = on
        self.updateGeometry()
        self.update()

    def set_counts(self, better: int = 0, same: int = 0, worse: int = 0, unscored: int = 0) -> None:
        """Show these numbers."""
        self._counts = dict(zip(_VERDICTS, (better, same, worse, unscored), strict=True))
        self.setAccessibleName(
            self.tr("{better} better, {same} the same, {worse} worse, {unscored} unscored").format(**self._counts)
        )
        self.setToolTip(tooltip(self.accessibleName()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(360, QFontMetrics(self.font()).height() + 18 if self._labelled else 14)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        total = sum(self._counts.values())
        shown = [(name, count) for name, count in self._counts.items() if count]
        bar = QRectF(0, 2, self.width(), 10)
        x = bar.left()
        room = bar.width() - 2 * max(0, len(shown) - 1)
        painter.setPen(Qt.PenStyle.NoPen)
        if not total:
            painter.setBrush(qcolor(Role.QUIET_TINT))
            painter.drawRoundedRect(bar, 3, 3)
        for name, count in shown:
            width = max(3.0, room * count / total)
            rect = QRectF(x, bar.top(), min(width, bar.right() - x), bar.height())
            drawn = _mirror(rect, self.width()) if mirrored else rect
            role = verdict_wording(name).role
            painter.setBrush(qcolor(role, 0.35 if name == "same" else 0.9))
            painter.drawRoundedRect(drawn, 3, 3)
            if name in {"worse", "unscored"}:
                pattern = Qt.BrushStyle.BDiagPattern if name == "worse" else Qt.BrushStyle.Dense6Pattern
                painter.setBrush(QBrush(qcolor(Role.SURFACE, 0.65), pattern))
                painter.drawRoundedRect(drawn, 3, 3)
            x += width + 2
        if self._labelled:
            self._labels(painter, mirrored)
        painter.end()

    def _labels(self, painter: QPainter, mirrored: bool) -> None:
        metrics = QFontMetrics(self.font())
        top = 16.0
        x = 0.0
        for name, count in self._counts.items():
            if name == "unscored" and not count:
                continue
            wording = verdict_wording(name)
            text = f"{figures.whole(count)} {wording.words}"
            width = metrics.horizontalAdvance(text)
            if x + 18 + width > self.width():
                break
            sign = QRectF(x, top + (metrics.height() - 14) / 2, 14, 14)
            words = QRectF(x + 18, top, width + 2, metrics.height())
            paint_icon(painter, wording.icon, _mirror(sign, self.width()) if mirrored else sign, wording.role)
            painter.setPen(qcolor(Role.TEXT))
            painter.drawText(_mirror(words, self.width()) if mirrored else words, Qt.AlignmentFlag.AlignCenter, text)
            x += 18 + width + 18


class IntervalBar(QWidget):
    """A gain as a dot on its interval, the noise as a band around zero. All in score (0.14 is 14 points)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("interval-bar")
        self.setFont(Metrics.font(Type.CAPTION, tabular=True))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._delta: float | None = None
        self._interval: tuple[float, float] | None = None
        self._noise: float | None = None
        self.set_gain(None, None)

    def set_gain(self, delta: float | None, interval: tuple[float, float] | None, noise: float | None = None) -> None:
        """Show a gain; ``None`` shows that nothing was measured."""
        self._delta, self._interval, self._noise = delta, interval, noise
        words = figures.gain(delta, interval)
        if noise is not None:
            words = self.tr("{gain}, noise ±{noise} pts").format(gain=words, noise=figures.decimal(noise * 100, 0))
        self.setAccessibleName(self.tr("Gain: {words}").format(words=words))
        self.setToolTip(tooltip(words))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, 22 + QFontMetrics(self.font()).height())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        low, high = self._interval or ((self._delta or 0.0), (self._delta or 0.0))
        reach = max(0.05, abs(low), abs(high), self._noise or 0.0) * 1.15
        middle, half = self.width() / 2, self.width() / 2 - 10
        y = 10.0

        def at(value: float) -> float:
            return middle + half * value / reach

        if self._noise:
            band = QRectF(at(-self._noise), 1, at(self._noise) - at(-self._noise), 18)
            painter.fillRect(band, qcolor(Role.QUIET_TINT))
        painter.setPen(QPen(qcolor(Role.LINE), 1))
        painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
        painter.setPen(QPen(qcolor(Role.TEXT_2), 1))
        painter.drawLine(QPointF(middle, 0), QPointF(middle, 20))
        metrics = QFontMetrics(self.font())
        painter.drawText(
            QRectF(middle - 60, 20, 120, metrics.height()), Qt.AlignmentFlag.AlignCenter, self.tr("no change")
        )
        if self._delta is not None:
            role = Role.GOOD if low > 0 else Role.BAD if high < 0 else Role.WARN
            painter.setPen(QPen(qcolor(role), 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(at(low), y), QPointF(at(high), y))
            for end in (low, high):
                painter.drawLine(QPointF(at(end), y - 4), QPointF(at(end), y + 4))
            painter.setBrush(qcolor(role))
            painter.drawEllipse(QPointF(at(self._delta), y), 4, 4)
        painter.end()


class LimitsBar(QWidget):
    """How much of a limit is used: its name, a bar, and the numbers with their unit.

    From 90 % it warns, above 100 % it says by how much; both in words too.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("limits-bar")
        self.setFont(Metrics.font(tabular=True))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._name, self._used, self._limit, self._unit = "", 0, 0, ""

    def set_limit(self, name: str, used: int, limit: int | None, unit: str) -> None:
        """Show a limit; ``None`` means that there is none."""
        self._name, self._used, self._limit, self._unit = one_line(name, 60), used, limit or 0, unit
        self.setAccessibleName(f"{self._name}: {self.words}")
        self.setToolTip(tooltip(f"{self._name}: {self.words}"))
        self.update()

    @property
    def words(self) -> str:
        """The numbers as they are shown."""
        used = figures.whole(self._used)
        if not self._limit:
            return self.tr("{used} {unit}, no limit").format(used=used, unit=self._unit)
        text = self.tr("{used} of {limit} {unit}").format(used=used, limit=figures.whole(self._limit), unit=self._unit)
        if self._used > self._limit:
            return self.tr("{numbers}, {over} too many").format(
                numbers=text, over=figures.whole(self._used - self._limit)
            )
        return text

    @property
    def state(self) -> str:
        """``ok``, ``near`` (from 90 %) or ``over``."""
        if not self._limit or self._used < self._limit * 0.9:
            return "ok"
        return "near" if self._used <= self._limit else "over"

    def sizeHint(self) -> QSize:
        return QSize(280, QFontMetrics(self.font()).height() + 12)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        metrics = QFontMetrics(self.font())
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        role = {"ok": Role.TEXT_2, "near": Role.WARN, "over": Role.BAD}[self.state]
        line = QRectF(0, 0, self.width(), metrics.height())
        words_width = min(metrics.horizontalAdvance(self.words) + 2, self.width())
        words = QRectF(self.width() - words_width, 0, words_width, metrics.height())
        name_end = words.left() - 8
        if self.state != "ok":
            sign = QRectF(words.left() - 18, (metrics.height() - 14) / 2, 14, 14)
            name_end = sign.left() - 6
            icon = "warning" if self.state == "near" else "error"
            paint_icon(painter, icon, _mirror(sign, self.width()) if mirrored else sign, role)
        painter.setPen(qcolor(Role.TEXT))
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, max(0, int(name_end)))
        flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(line, flags, name)
        painter.setPen(qcolor(role))
        painter.drawText(_mirror(words, self.width()) if mirrored else words, Qt.AlignmentFlag.AlignCenter, self.words)
        bar = QRectF(0, metrics.height() + 4, self.width(), 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(Role.QUIET_TINT))
        painter.drawRoundedRect(bar, 2.5, 2.5)
        if self._limit:
            share = min(1.0, self._used / self._limit)
            filled = QRectF(bar.left(), bar.top(), bar.width() * share, bar.height())
            painter.setBrush(qcolor(Role.ACCENT if self.state == "ok" else role))
            painter.drawRoundedRect(_mirror(filled, self.width()) if mirrored else filled, 2.5, 2.5)
        painter.end()


def _mirror(rect: QRectF, width: float) -> QRectF:
    return QRectF(width - rect.right(), rect.top(), rect.width(), rect.height())
