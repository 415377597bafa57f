"""A short tour of the real window: what a run is, what changed, what proves it, what a decision does, how to go back.

It presses nothing that decides. It is offered once per workspace, after the sample; the menu *Help* starts it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.widgets.tour_card import TourCard, TourFrame

if TYPE_CHECKING:
    from honeyguide.desktop.pages.inbox import InboxPage
    from honeyguide.desktop.window import Window

_MEMORY = "tour"
_FOLLOW_MS = 150
"""How often the frame looks where its control is now: lists scroll and reviews are read anew meanwhile."""
_PATIENCE = 100
"""Looks, 30 ms apart, at whether the review of the run stands; afterwards the tour begins without it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop: what it says, the part of the review to show (empty: as it is), and where the control is."""

    title: str
    text: str
    part: str
    place: Callable[[], tuple[QWidget, QRect]]


class Tour(QObject):
    """Made anew for each workspace, with its card and frame over the middle of the window."""

    def __init__(self, desk: Desk, window: Window) -> None:
        super().__init__(window)
        self._desk = desk
        self._window = window
        self._centre = window.centralWidget() or window
        self.frame = TourFrame(self._centre)
        self.card = TourCard(self._centre)
        self._runs = 0
        self._at: int | None = None
        self._tab = ""
        self._stops: tuple[Stop, ...] = ()
        self._timer = QTimer(self)
        self._timer.setInterval(_FOLLOW_MS)
        self._timer.timeout.connect(self._follow)
        self.card.next_wanted.connect(self._on_next)
        self.card.back_wanted.connect(lambda: self._go((self._at or 0) - 1))
        self.card.end_wanted.connect(self.end)
        window.installEventFilter(self)

    @property
    def is_on(self) -> bool:
        """Whether the card is shown, be it the offer or a stop."""
        return not self.card.isHidden()

    @property
    def at(self) -> int | None:
        """The stop that is shown, from 0; ``None`` for the offer and when it is over."""
        return self._at

    def set_runs(self, count: int) -> None:
        """Say how many runs there are to show."""
        self._runs = count

    def reason_against(self) -> str:
        """Return why there is nothing to show; empty when there is."""
        return "" if self._runs else self.tr("There is no run to show yet. Start one, or try the sample.")

    def offer(self) -> None:
        """Ask whether to show around, once per workspace; the focus stays where it is."""
        if self.is_on or self._desk.memory.get(_MEMORY) is not None:
            return
        self._desk.memory.set(_MEMORY, "offered")
        self.card.say(
            self.tr("Shall I show you around?"),
            self.tr("Six stops, about a minute. Nothing is decided meanwhile. Later you find it under Help."),
            words=(self.tr("Show me around"), self.tr("Not now")),
            is_first=True,
        )
        self._come_up()

    async def begin(self) -> None:
        """Bring a proposal that waits, or the chosen run, to the front and show the first stop."""
        from honeyguide.workspace import RunFilter

        found = await self._desk.workspace.run_rows(RunFilter(status=("proposed",), limit=1))
        uuid = found.items[0].uuid if found.items else None
        self._window.show_page("inbox", uuid)
        review = self._inbox.review
        for _ in range(_PATIENCE):
            if review.review is not None and uuid in (None, review.review.detail.uuid):
                break
            await asyncio.sleep(0.03)
        self._desk.memory.set(_MEMORY, "seen")
        self._stops = self._make_stops()
        self._tab = self._tab or self._desk.memory.text("review.tab", "changes")
        self._come_up()
        self._go(0)

    def end(self) -> None:
        """Take card and frame away and leave the review as it was found."""
        if not self.is_on:
            return
        had_focus = self.card.isAncestorOf(self._window.focusWidget() or self._window)
        self._timer.stop()
        self.card.hide()
        self.frame.hide()
        was_going, self._at = self._at is not None, None
        if was_going and self._tab:
            self._inbox.review.show_tab(self._tab)
        self._tab = ""
        front = self._window.front
        if had_focus and front:
            self._window.page(front).first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> None:
        """Be gone, with the workspace."""
        self._timer.stop()
        self._window.removeEventFilter(self)
        for widget in (self.card, self.frame):
            widget.hide()
            widget.deleteLater()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc ends it wherever the focus is, unless a control had a use for the key itself."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() == QEvent.Type.KeyPress and self.is_on:
            self.end()
            return True
        return False

    # --- inside

    @property
    def _inbox(self) -> InboxPage:
        from honeyguide.desktop.pages.inbox import InboxPage

        page = self._window.page("inbox")
        assert isinstance(page, InboxPage)
        return page

    def _come_up(self) -> None:
        self._follow()
        if not self.is_on:
            self.card.appear()
        self._timer.start()

    def _on_next(self) -> None:
        if self._at is None:
            self._desk.do("tour")
        elif self._at == len(self._stops) - 1:
            self.end()
        else:
            self._go(self._at + 1)

    def _go(self, number: int) -> None:
        self._at = max(0, number)
        stop = self._stops[self._at]
        if self._window.front != "inbox":
            self._window.show_page("inbox")
        if stop.part:
            self._inbox.review.show_tab(stop.part)
        is_last = self._at == len(self._stops) - 1
        self.card.say(
            stop.title,
            stop.text,
            count=self.tr("{n} of {all}").format(n=self._at + 1, all=len(self._stops)),
            words=(self.tr("Done") if is_last else self.tr("Next"), self.tr("End")),
            is_first=not self._at,
        )
        self.card.end.setVisible(not is_last)
        self._follow()
        self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow(self) -> None:
        """Put frame and card where the control is now; a control that cannot be seen has no frame."""
        rect: QRect | None = None
        if self._at is not None:
            widget, inner = self._stops[self._at].place()
            if widget.isVisible() and not inner.isEmpty():
                corner = widget.mapTo(self._centre, inner.topLeft())
                rect = QRect(corner, inner.size())
        self.frame.show_around(rect)
        self.card.place(rect)
        self.card.raise_()

    def _make_stops(self) -> tuple[Stop, ...]:
        tr, inbox = self.tr, self._inbox
        review = inbox.review

        def whole(widget: QWidget) -> Callable[[], tuple[QWidget, QRect]]:
            return lambda: (widget, widget.rect())

        def row() -> tuple[QWidget, QRect]:
            view = inbox.table.viewport()
            rect = inbox.table.visualRect(inbox.table.currentIndex())
            return view, QRect(0, rect.y(), view.width(), rect.height()) & view.rect()

        def decision() -> tuple[QWidget, QRect]:
            button = review.decision.accept
            widget: QWidget = button if button.isVisible() else review.decision
            return widget, widget.rect()

        texts, targets = whole(review.parts), whole(self._window.sidebar.button("targets"))
        return (
            Stop(tr("A run"), tr("Every search for a better text is one line here: what came of it, what it would "
                 "change, and how much it gains. The chosen one stands open beside or below."), "", row),
            Stop(tr("What changed"), tr("The live text and the proposed one, with every changed word marked. Untick a "
                 "change that you do not want, or edit the text."), "changes", texts),
            Stop(tr("What proves it"), tr("Cases that the search never saw, answered with the text before and after. "
                 "Choose one to read both answers and why one was found better."), "evidence", texts),
            Stop(tr("The checks"), tr("Rules that every proposal must keep, e.g. that no variable is lost and no key "
                 "is in the text. One that fails says why, and where."), "checks", texts),
            Stop(tr("Your decision"), tr("Accept & deploy first shows the exact file and asks; only then is the text "
                 "written where your agents load it. Reject leaves all as it is. The tour presses neither."), "",
                 decision),
            Stop(tr("The way back"), tr("Targets keeps every version of a text. Roll back there, or in the review of "
                 "a deployed run, puts the one before in place again."), "", targets),
        )  # fmt: skip
