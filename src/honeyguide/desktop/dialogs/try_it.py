"""Trying a proposal: type an input, see both answers side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import said_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import model_words
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import TryResult

Ask = Callable[[str], Awaitable["TryResult"]]


class TryDialog(Dialog):
    """Stays open for as many inputs as a person likes. The cost of each is said."""

    def __init__(
        self,
        ask_both: Ask,
        tasks: TaskScope,
        model: str,
        parent: QWidget | None,
        *,
        text: str = "",
        is_free: bool = True,
    ) -> None:
        super().__init__("try-dialog", self.tr("Try it"), parent, wide=100, high=32)
        self._ask_both = ask_both
        self._tasks = tasks.child("try it")
        self.add_title(self.tr("Try both texts on one input"))
        cost = self.tr("It costs nothing.") if is_free else self.tr("Each try makes two calls, which cost money.")
        said = self.tr("Answered by {model}. {cost} Nothing is deployed.").format(model=model_words(model), cost=cost)
        self.add_text(said, Role.TEXT_2)
        self._input = _box("try-input", self.tr("Input"))
        self._input.setReadOnly(False)
        self._input.setPlainText(text)
        self._input.setTabChangesFocus(True)
        self._input.setPlaceholderText(self.tr("Write what a person would write to this agent."))
        self._input.setMaximumHeight(Metrics.row_height() * 4)
        self.body.addWidget(PlainLabel(self.tr("Input"), role=Role.TEXT_2))
        self.body.addWidget(self._input)
        self._before = _box("try-before", self.tr("Answer with the text as it is now"))
        self._after = _box("try-after", self.tr("Answer with the proposed text"))
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP_2)
        for words, box in ((self.tr("Now"), self._before), (self.tr("Proposed"), self._after)):
            column = QVBoxLayout()
            column.setSpacing(Metrics.GRID)
            column.addWidget(PlainLabel(words, role=Role.TEXT_2))
            column.addWidget(box, 1)
            row.addLayout(column, 1)
        self.body.addLayout(row, 1)
        self._said = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._said.setObjectName("try-said")
        self.body.addWidget(self._said)
        self._error = HintBar("", Severity.BAD, closable=False, name="try-error")
        self.body.addWidget(self._error)
        self._spent: float | None = 0.0
        self.add_cancel(self.tr("Close"), is_default=False)
        self._go = self.add_button(self.tr("Ask both"), "try-go", look=Look.PRIMARY, icon="play", tip="Ctrl+Enter")
        self._go.clicked.connect(self._on_ask)
        self._input.textChanged.connect(self._judge)
        self.finished.connect(lambda _: self._tasks.close())
        self._input.setFocus()
        self._judge()

    def text(self) -> str:
        """Return the input as it was typed."""
        return self._input.toPlainText()

    def _judge(self) -> None:
        self._go.set_allowed(bool(self.text().strip()), self.tr("Type an input first."))

    def _on_ask(self) -> None:
        self._go.set_allowed(False, self.tr("The answers are on their way."))
        self._said.set_text(self.tr("Asking both…"))
        self._error.show_hint("")
        self._tasks.latest("try", lambda: self._ask_both(self.text()), self._show, failed=self._fail)

    def _show(self, result: TryResult) -> None:
        self._before.setPlainText(block(result.before, 200_000))
        self._after.setPlainText(block(result.after, 200_000))
        if result.cost_usd is None or self._spent is None:
            self._spent = None
        else:
            self._spent += result.cost_usd
        said = self.tr("{calls} calls, {cost} · {all} since this window opened")
        self._said.set_text(
            said.format(
                calls=figures.whole(result.calls), cost=figures.money(result.cost_usd), all=figures.money(self._spent)
            )
        )
        self._judge()

    def _fail(self, error: Exception) -> None:
        self._said.set_text("")
        sentence = said_of(error)
        self._error.show_hint(sentence, Severity.BAD)
        self._judge()


def _box(name: str, spoken: str) -> QPlainTextEdit:
    box = named(QPlainTextEdit(), name, spoken)
    box.setReadOnly(True)
    box.setFont(Metrics.font(Type.PROSE))
    return box
