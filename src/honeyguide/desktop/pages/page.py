"""What every page is: a title row, what it can do, when it reads, and what it remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handlers
from honeyguide.desktop.crash import safe_text_of
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.error import details_text
from honeyguide.desktop.said import hint_of, sentence_of
from honeyguide.desktop.theme import Metrics, Type
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import WorkspaceEvent


class Page(QWidget):
    """A page. It reads when it is first shown, and again when what it shows changed.

    Signals:
        actions_changed(): something else can be done now.
    """

    actions_changed = Signal()

    def __init__(self, desk: Desk, name: str, title: str) -> None:
        super().__init__()
        named(self, f"page-{name}", title)
        self.desk = desk
        self.name = name
        self.tasks = desk.tasks.child(name)
        self._was_shown = False
        self._is_stale = False
        self.title = PlainLabel(title, Type.TITLE, wrap=False)
        self.title.setObjectName(f"{name}-title")
        self.head = QHBoxLayout()
        self.head.setContentsMargins(Metrics.MARGIN, Metrics.GAP_2, Metrics.MARGIN, Metrics.GAP)
        self.head.setSpacing(Metrics.GAP)
        self.head.addWidget(self.title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.column.addLayout(self.head)
        self._stop = desk.live.listen(self._hear)

    # --- what a page says

    def read(self) -> None:
        """Read everything that the page shows."""

    def handlers(self) -> Handlers:
        """Return what the page can carry out."""
        return {}

    def show_item(self, item: object) -> None:
        """Show one thing on the page, e.g. a run by its id."""

    def first_focus(self) -> QWidget:
        """Return where the focus belongs when the page is shown."""
        return self

    def concerns(self, event: WorkspaceEvent) -> bool:
        """Say whether the page must read anew because of a change."""
        return False

    def take_events(self, events: Sequence[WorkspaceEvent]) -> None:
        """Take what changed; usually: read anew when it concerns the page, at once or when it is shown again."""
        if any(self.concerns(event) for event in events):
            self.read_again()

    # --- what the window says

    def enter(self) -> None:
        """Be shown."""
        if not self._was_shown or self._is_stale:
            self._was_shown, self._is_stale = True, False
            self.read()

    def read_again(self) -> None:
        """Read now, or as soon as the page is shown."""
        if self._was_shown and self.isVisible():
            self.read()
        else:
            self._is_stale = self._was_shown

    def leave_for_good(self) -> None:
        """End every task of the page."""
        self._stop()
        self.tasks.close()

    # --- what pages share

    def show_failure(self, stack: StateStack) -> Callable[[Exception], None]:
        """Return what shows an error of reading in place of the content, with a way to try again."""

        def show(error: Exception) -> None:
            again = [StateAction("read-again", self.tr("Try again"), "retry")]
            if isinstance(error, HoneyguideError):
                details = details_text(error.code, error.details) if error.details else ""
                stack.show_error(sentence_of(error), hint_of(error), details=details, actions=again)
            else:
                sentence = self.tr("This page could not be read.")
                stack.show_error(
                    sentence, self.tr("Try again; the details say more."), details=safe_text_of(error), actions=again
                )

        return show

    def _hear(self, events: Sequence[WorkspaceEvent]) -> None:
        if not self.tasks.is_closed:
            self.take_events(events)
