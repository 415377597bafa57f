"""Buttons that say what happens, and why they cannot when they cannot."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from honeyguide.desktop.theme import Metrics, Role, use_icon
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.labels import named


class Look(StrEnum):
    """How much a button asks for attention."""

    PLAIN = "plain"
    PRIMARY = "primary"
    """The one main action of a page."""
    LINK = "link"
    CHIP = "chip"


class Button(QPushButton):
    """A button with a name, a look, perhaps an icon, and a reason while it is off."""

    def __init__(
        self,
        text: str,
        name: str,
        parent: QWidget | None = None,
        *,
        look: Look = Look.PLAIN,
        icon: str = "",
        tip: str = "",
        spoken: str = "",
    ) -> None:
        super().__init__(text, parent)
        named(self, name, spoken or text.rstrip("…"), tip)
        self.setProperty("look", look.value)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._tip = tip
        self.setToolTip(tooltip(tip))
        roles = {Look.PRIMARY: Role.ON_ACCENT, Look.LINK: Role.ACCENT_TEXT}
        self.set_icon(icon, roles.get(look, Role.TEXT))

    def set_icon(self, icon: str, role: Role = Role.TEXT) -> None:
        """Show an icon that follows the theme; an empty name shows none."""
        use_icon(self, icon, role)

    def set_tip(self, tip: str) -> None:
        """Say something else while the pointer rests here."""
        self._tip = tip
        if self.isEnabled():
            self.setToolTip(tooltip(tip))
            self.setAccessibleDescription(tip)

    def set_allowed(self, allowed: bool, reason: str = "") -> None:
        """Switch the button on, or off with the reason in its tooltip."""
        self.setEnabled(allowed)
        said = self._tip if allowed else reason
        self.setToolTip(tooltip(said))
        self.setAccessibleDescription(said)


class ToolButton(QToolButton):
    """A small button that shows only an icon; its words are in the tooltip, with the key, and read aloud."""

    def __init__(
        self,
        icon: str,
        name: str,
        words: str,
        parent: QWidget | None = None,
        *,
        key: str = "",
        checkable: bool = False,
        role: Role = Role.TEXT,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._key = key
        named(self, name, words)
        self.setCheckable(checkable)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(Metrics.ICON + 12, Metrics.ICON + 12)
        use_icon(self, icon, role)
        self._say()

    def set_words(self, words: str) -> None:
        """Say something else."""
        self._words = words
        self.setAccessibleName(words)
        self._say()

    def set_allowed(self, allowed: bool, reason: str = "") -> None:
        """Switch the button on, or off with the reason in its tooltip."""
        self.setEnabled(allowed)
        if allowed or not reason:
            self._say()
        else:
            self.setToolTip(tooltip(reason))
        self.setAccessibleDescription("" if allowed else reason)

    def _say(self) -> None:
        key = QKeySequence(self._key).toString(QKeySequence.SequenceFormat.NativeText) if self._key else ""
        self.setToolTip(tooltip(f"{self._words} ({key})" if key else self._words))
