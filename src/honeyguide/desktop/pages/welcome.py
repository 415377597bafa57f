"""The first thing a new person sees: what this is, and three ways in. Nothing is read or sent before one is chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.painting import begin_paint
from honeyguide.desktop.widgets.states import RoleIcon


class WelcomeView(QWidget):
    """Signals:
    chosen(way): ``sample``, ``agents`` or ``folder``.
    """

    chosen = Signal(str)

    def __init__(self, path: Path | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "welcome", self.tr("Welcome"))
        self.sample = Button(self.tr("Try the sample"), "welcome-sample", look=Look.PRIMARY, icon="play")
        self.agents = Button(self.tr("Find my agents…"), "welcome-agents", icon="search")
        self.folder = Button(self.tr("Open a folder…"), "welcome-folder", icon="folder")
        inner = QWidget()
        inner.setMaximumWidth(Metrics.characters(86))
        column = QVBoxLayout(inner)
        column.setContentsMargins(Metrics.GAP_3, Metrics.GAP_3, Metrics.GAP_3, Metrics.GAP_3)
        column.setSpacing(Metrics.GAP_2)
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP_2)
        head.addWidget(RoleIcon("bee", 48, Role.ACCENT_TEXT), 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(Metrics.GRID)
        words.addWidget(PlainLabel(self.tr("Better prompts, with proof. You decide."), Type.HERO, strong=True))
        words.addWidget(
            PlainLabel(
                self.tr(
                    "Honeyguide reads what your agent really did, finds what went wrong, looks for a better text, "
                    "proves it on cases the search never saw, and then waits for you."
                ),
                role=Role.TEXT_2,
            )
        )
        head.addLayout(words, 1)
        column.addLayout(head)
        column.addSpacing(Metrics.GAP)
        for button, icon, title, text in (
            (
                self.sample,
                "practice",
                self.tr("See it work"),
                self.tr("An assistant of a small shop with its history. One press brings you to a finished proposal. "
                        "Free, needs no key, sends nothing."),
            ),
            (
                self.agents,
                "model",
                self.tr("Begin with what you have"),
                self.tr("Looks in the usual places for skills, instruction files and sessions, and lists what is "
                        "there. Nothing is read before you tick it."),
            ),
            (
                self.folder,
                "folder",
                self.tr("Begin with a folder"),
                self.tr("A workspace you have, or a folder with prompts of yours."),
            ),
        ):  # fmt: skip
            column.addWidget(_Way(icon, title, text, button))
        where = self.tr("Your things are kept in {path}.").format(path=path) if path is not None else ""
        self._note = PlainLabel(where, Type.CAPTION, Role.TEXT_2)
        column.addWidget(self._note)
        holder = QWidget()
        across = QHBoxLayout(holder)
        across.addStretch(1)
        across.addWidget(inner, 8)
        across.addStretch(1)
        centred = QWidget()
        down = QVBoxLayout(centred)
        down.setContentsMargins(0, 0, 0, 0)
        down.addStretch(2)
        down.addWidget(holder)
        down.addStretch(3)
        area = QScrollArea()
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what is in it
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(centred)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self.sample.clicked.connect(lambda: self.chosen.emit("sample"))
        self.agents.clicked.connect(lambda: self.chosen.emit("agents"))
        self.folder.clicked.connect(lambda: self.chosen.emit("folder"))

    def set_busy(self, busy: bool) -> None:
        """Say that the workspace is being made."""
        for button in (self.sample, self.agents, self.folder):
            button.setEnabled(not busy)
        if busy:
            self._note.set_text(self.tr("Making the workspace…"))


class _Way(QWidget):
    """One way in, above a hairline."""

    def __init__(self, icon: str, title: str, text: str, button: Button) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, Metrics.GAP_2, 0, Metrics.GRID)
        grid.setHorizontalSpacing(Metrics.GAP_2)
        grid.setVerticalSpacing(2)
        grid.addWidget(RoleIcon(icon, 24, Role.TEXT_2), 0, 0, 2, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(PlainLabel(title, strong=True), 0, 1)
        grid.addWidget(PlainLabel(text, role=Role.TEXT_2), 1, 1)
        grid.addWidget(button, 0, 2, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(1, 1)
        button.setMinimumWidth(Metrics.characters(24))

    def paintEvent(self, event: object) -> None:
        from honeyguide.desktop.theme import qcolor

        painter = begin_paint(self)
        painter.fillRect(0, 0, self.width(), 1, qcolor(Role.LINE))
        painter.end()
