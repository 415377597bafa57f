"""The calls of a run, and the reply to one of them when it is asked for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.models.calls import CallRow, CallTableModel
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.labels import PlainLabel, named


class JournalList(QWidget):
    """A table of calls over the chosen call's request and reply; both stay away until they are asked for.

    Signals:
        reply_requested(n): show the raw reply of call ``n``; answer with ``show_reply``.
    """

    reply_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("journal")
        self.model = CallTableModel(self)
        self.table = DataTable("journal-table", self.tr("Model calls"), self.model)
        self._sum = PlainLabel("", role=Role.TEXT_2)
        self._about = PlainLabel("", role=Role.TEXT_2, selectable=True)
        self._ask = Button(self.tr("Show the reply"), "journal-show-reply", icon="eye")
        self._ask.set_tip(self.tr("As it came, with secrets taken out."))
        self._reply = named(QPlainTextEdit(), "journal-reply", self.tr("Reply of the model"))
        self._reply.setReadOnly(True)
        self._reply.setFont(Metrics.font(Type.MONO))
        self._reply.setPlaceholderText(self.tr("Choose a call, then press “Show the reply”."))
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        row = QHBoxLayout()
        row.addWidget(self._about, 1)
        row.addWidget(self._ask)
        column.addLayout(row)
        column.addWidget(self._reply, 1)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.table)
        splitter.addWidget(below)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        head.addWidget(self._sum)
        outer.addLayout(head)
        outer.addWidget(splitter, 1)
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(self._request)
        self._ask.clicked.connect(lambda: self._request(self.table.current_key()))
        self._shown: int | None = None
        self._on_current(None)

    def set_sums(self, calls: int, replayed: int, usd: float | None, tokens_in: int, tokens_out: int) -> None:
        """Show the sum over all calls."""
        said = self.tr("{calls} calls, {replayed} of them replayed · {cost} · {tokens_in} tokens in, {tokens_out} out")
        self._sum.set_text(
            said.format(
                calls=figures.whole(calls),
                replayed=figures.whole(replayed),
                cost=figures.money(usd),
                tokens_in=figures.whole(tokens_in),
                tokens_out=figures.whole(tokens_out),
            )
        )

    def show_reply(self, n: int, text: str) -> None:
        """Show the reply of call ``n``, unless another call was chosen meanwhile."""
        if n == self._shown:
            self._reply.setPlainText(block(text, 1_000_000))

    def _request(self, n: object) -> None:
        if isinstance(n, int):
            self._shown = n
            self._reply.setPlainText(self.tr("Reading…"))
            self.reply_requested.emit(n)

    def _on_current(self, n: object) -> None:
        row = self.model.row_of(n) if n is not None else None
        self._shown = None
        self._reply.setPlainText("")
        self._ask.set_allowed(isinstance(row, CallRow), self.tr("Choose a call first."))
        if isinstance(row, CallRow):
            words = self.tr("Call {n}: {purpose}").format(n=row.n, purpose=block(row.purpose, 400))
            self._about.set_text(f"{words}\n{block(row.error, 400)}".strip())
        else:
            self._about.set_text("")
