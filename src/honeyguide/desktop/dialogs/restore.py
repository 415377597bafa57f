"""Bringing an earlier text back: one confirmation, with the whole difference in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.diff import DiffPanel
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import DiffView


class RestoreDialog(Dialog):
    """Used for Roll back (to the version before) and for Restore (of any)."""

    def __init__(
        self,
        name: str,
        title: str,
        text: str,
        words: str,
        diff: DiffView,
        titles: tuple[str, str],
        parent: QWidget | None,
    ) -> None:
        super().__init__(name, title, parent, wide=96, high=30)
        self.add_title(title)
        self.add_text(text, Role.TEXT_2)
        self._panel = DiffPanel()
        self._panel.set_editable(False)
        self._panel.set_rows(diff.rows, titles=titles)
        self._panel.setMinimumHeight(Metrics.row_height() * 7)
        self.body.addWidget(self._panel, 1)
        caption = PlainLabel(self.tr("Note"), role=Role.TEXT_2)
        self.body.addWidget(caption)
        self._note = named(QLineEdit(), f"{name}-note", self.tr("Note"))
        self._note.setMaxLength(2000)
        caption.setBuddy(self._note)
        self.body.addWidget(self._note)
        self.add_text(
            self.tr("This makes a new version; the text that is live now stays in the list of versions."),
            Role.TEXT_2,
            caption=True,
        )
        self.add_cancel().setFocus()
        go = self.add_button(words, f"{name}-go", look=Look.PRIMARY)
        go.clicked.connect(self.accept)

    def note(self) -> str:
        """Return what was typed."""
        return self._note.text().strip()
