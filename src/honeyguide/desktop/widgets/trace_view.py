"""One trace in full: what was asked, what was answered, which tools were called, what a person said of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.outcomes import trace_outcome_wording
from honeyguide.desktop.theme.plain_text import block, one_line
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.chips import OutcomeBadge
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.states import StateStack
from honeyguide.kernel.clock import parse_iso

MOST_TOOLS = 200
"""Tool calls that are listed; the rest is counted."""
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """What is shown of a trace.

    Attributes:
        targets: what it speaks about; a question mark stands behind an inferred one.
        tools: name, arguments, result, whether it succeeded (``None``: not said).
        corrections: id, the words, the state.
        siblings: the traces of its conversation, in order.
        tokens: in and out; ``None`` is unknown.
    """

    id: int
    title: str
    outcome: str
    created_at: str
    conversation: str
    source: str
    targets: tuple[str, ...]
    input: str
    output: str
    tools: tuple[tuple[str, str, str, bool | None], ...]
    corrections: tuple[tuple[int, str, str], ...]
    siblings: tuple[int, ...]
    tokens: tuple[int | None, int | None]


class TraceView(QWidget):
    """Signals:
    correction_chosen(id), trace_chosen(id): another one of the same conversation.
    """

    correction_chosen = Signal(int)
    trace_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "trace-view", self.tr("Trace"))
        self._siblings: tuple[int, ...] = ()
        self._id = 0
        self._badge = OutcomeBadge()
        self._title = PlainLabel("", Type.TITLE, strong=True)
        self._about = PlainLabel("", Type.CAPTION, Role.TEXT_2, selectable=True)
        self._before = ToolButton("chevron-left", "trace-before", self.tr("The turn before in this conversation"))
        self._after = ToolButton("chevron-right", "trace-after", self.tr("The next turn in this conversation"))
        self._before.clicked.connect(lambda: self._walk(-1))
        self._after.clicked.connect(lambda: self._walk(1))
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP)
        head.addWidget(self._title, 1)
        head.addWidget(self._before)
        head.addWidget(self._after)
        head.addWidget(self._badge)
        self._input = _text("trace-input", self.tr("What was asked"))
        self._output = _text("trace-output", self.tr("What was answered"))
        sides = QHBoxLayout()
        sides.setSpacing(Metrics.GAP_2)
        for words, box in ((self.tr("Asked"), self._input), (self.tr("Answered"), self._output)):
            column = QVBoxLayout()
            column.setSpacing(Metrics.GRID)
            column.addWidget(PlainLabel(words, Type.CAPTION, Role.TEXT_2))
            column.addWidget(box, 1)
            sides.addLayout(column, 1)
        self._more = named(QScrollArea(), "trace-more", self.tr("Tools and corrections"))
        self._more.setWidgetResizable(True)
        self._more.setFrameShape(QFrame.Shape.NoFrame)
        self._more.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._more.setMaximumHeight(Metrics.row_height() * 6)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addLayout(sides, 3)
        column.addWidget(self._more, 1)
        self.stack = StateStack(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)
        self.show_nothing()

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the input; a proxy would have Tab pass over everything else in here."""
        self._input.setFocus(reason)

    def show_nothing(self) -> None:
        """Show that no trace is chosen."""
        self.stack.show_empty(self.tr("No trace is chosen"), self.tr("Choose one in the list."), icon="traces")

    def show_trace(self, facts: TraceFacts) -> None:
        """Show a trace."""
        self.stack.show_content()
        self._id, self._siblings = facts.id, facts.siblings
        self._title.set_text(one_line(facts.title or facts.conversation, 120))
        self._badge.set_wording(trace_outcome_wording(facts.outcome))
        self._input.setPlainText(block(facts.input, MOST_CHARACTERS))
        self._output.setPlainText(block(facts.output, MOST_CHARACTERS))
        place = facts.siblings.index(facts.id) + 1 if facts.id in facts.siblings else 1
        tokens = self.tr("{tokens_in} tokens in, {tokens_out} out").format(
            tokens_in=figures.whole(facts.tokens[0]), tokens_out=figures.whole(facts.tokens[1])
        )
        parts = [
            figures.exact_time(parse_iso(facts.created_at)),
            facts.source,
            ", ".join(facts.targets),
            self.tr("turn {n} of {all}").format(n=place, all=max(1, len(facts.siblings))),
            tokens if any(count is not None for count in facts.tokens) else "",
        ]
        self._about.set_text(" · ".join(part for part in parts if part))
        self._before.set_allowed(place > 1, self.tr("This is the first turn."))
        self._after.set_allowed(place < len(facts.siblings), self.tr("This is the last turn."))
        self._show_more(facts)

    def _show_more(self, facts: TraceFacts) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, Metrics.GRID, 0, 0)
        column.setSpacing(Metrics.GRID)
        for number, span, state in facts.corrections:
            words = {"suggested": self.tr("perhaps a correction"), "confirmed": self.tr("a correction")}.get(
                state, self.tr("not a correction")
            )
            button = Button(f"“{one_line(span, 80)}”: {words}", f"trace-correction-{number}", look=Look.LINK)
            button.clicked.connect(lambda _=False, n=number: self.correction_chosen.emit(n))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        for tool, arguments, result, ok in facts.tools[:MOST_TOOLS]:
            sign = "✕" if ok is False else "✓" if ok else "·"
            said = f"{sign} {tool}({one_line(arguments, 200)}) → {one_line(result, 300)}"
            column.addWidget(PlainLabel(said, Type.CAPTION, Role.BAD if ok is False else Role.TEXT_2, selectable=True))
        left = len(facts.tools) - MOST_TOOLS
        if left > 0:
            column.addWidget(PlainLabel(self.tr("and {n} more tool calls").format(n=left), Type.CAPTION, Role.TEXT_2))
        column.addStretch(1)
        self._more.setWidget(body)
        self._more.setVisible(bool(facts.corrections or facts.tools))

    def _walk(self, step: int) -> None:
        if self._id in self._siblings:
            place = self._siblings.index(self._id) + step
            if 0 <= place < len(self._siblings):
                self.trace_chosen.emit(self._siblings[place])


def _text(name: str, spoken: str) -> QPlainTextEdit:
    box = named(QPlainTextEdit(), name, spoken)
    box.setReadOnly(True)
    box.setFont(Metrics.font(Type.PROSE))
    box.setTabChangesFocus(True)
    return box
