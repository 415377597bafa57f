"""Grading answers by keyboard, one after the other, and the exam of the judge on what was graded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, KeyHints, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import AnswerToGrade, JudgeExam

LEAST = 20
"""Graded answers that an exam needs, good and bad ones."""
MOST = 40
SHOWN = 20_000


class ExamDialog(Dialog):
    """G good, B bad, S skip, Z back; Ctrl+Enter takes the exam. Grades are kept as soon as they are given."""

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None) -> None:
        super().__init__("exam-dialog", parent.tr("Examine the judge") if parent else "", parent, wide=100, high=36)
        self._desk = desk
        self._tasks = tasks.child("judge exam")
        self._answers: list[AnswerToGrade] = []
        self._place = 0
        self._grades: dict[int, bool] = {}
        self._kept: list[bool] = []
        self.add_title(self.tr("Grade answers, then see whether the judge agrees"))
        self._said = self.add_text(self.tr("Looking for answers of past runs…"), Role.TEXT_2)
        self._said.setObjectName("exam-said")
        self._input = _box("exam-input", self.tr("Asked"))
        self._expected = _box("exam-expected", self.tr("Expected"))
        self._actual = _box("exam-actual", self.tr("Answer to grade"))
        self._expects = PlainLabel(self.tr("Expected"), role=Role.TEXT_2)
        grading = QWidget()
        column = QVBoxLayout(grading)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(PlainLabel(self.tr("Asked"), role=Role.TEXT_2))
        column.addWidget(self._input, 1)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP_2)
        for label, box in (
            (self._expects, self._expected),
            (PlainLabel(self.tr("Answer to grade"), role=Role.TEXT_2), self._actual),
        ):
            side = QVBoxLayout()
            side.addWidget(label)
            side.addWidget(box, 1)
            row.addLayout(side, 1)
        column.addLayout(row, 3)
        self._result = _box("exam-result", self.tr("Result of the exam"))
        self._pages = QStackedWidget()
        self._pages.addWidget(grading)
        self._pages.addWidget(self._result)
        self.body.addWidget(self._pages, 1)
        self._error = HintBar("", Severity.BAD, closable=False, name="exam-error")
        self.body.addWidget(self._error)
        hints = KeyHints()
        hints.set_hints(
            [("G", self.tr("good")), ("B", self.tr("bad")), ("S", self.tr("skip")), ("Z", self.tr("one back"))]
        )
        self.body.addWidget(hints)
        self._good = self.add_button(self.tr("Good"), "exam-good", icon="check", left=True, tip="G")
        self._bad = self.add_button(self.tr("Bad"), "exam-bad", icon="cross", left=True, tip="B")
        self._skip = self.add_button(self.tr("Skip"), "exam-skip", left=True, tip="S")
        for button, do in (
            (self._good, lambda: self._grade(True)),
            (self._bad, lambda: self._grade(False)),
            (self._skip, lambda: self._step(1)),
        ):
            button.clicked.connect(do)
        self.add_cancel(self.tr("Close"), is_default=False)
        self._take = self.add_button(self.tr("Take the exam"), "exam-take", look=Look.PRIMARY, tip="Ctrl+Enter")
        self._take.clicked.connect(self._on_take)
        self.finished.connect(lambda _: self._tasks.close())
        self._judge()
        self._tasks.latest("answers", self._load, self._show_answers, failed=self._fail)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Grade by single letters; the texts take none of them."""
        act = {
            Qt.Key.Key_G: lambda: self._grade(True),
            Qt.Key.Key_B: lambda: self._grade(False),
            Qt.Key.Key_S: lambda: self._step(1),
            Qt.Key.Key_Z: lambda: self._step(-1),
        }.get(Qt.Key(event.key()))
        if act is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            act()
            return
        super().keyPressEvent(event)

    # --- grading

    async def _load(self) -> tuple[list[AnswerToGrade], list[bool]]:
        workspace = self._desk.workspace
        kept = [case.grade >= 0.5 for case in await workspace.graded_answers()]
        return await workspace.answers_to_grade(MOST), kept

    def _show_answers(self, found: tuple[list[AnswerToGrade], list[bool]]) -> None:
        self._answers, self._kept = found
        self._show_one()
        self._actual.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_one(self) -> None:
        answer = self._answers[self._place] if self._place < len(self._answers) else None
        texts = ("", "", "") if answer is None else (answer.input, answer.expected, answer.actual)
        for box, text in zip((self._input, self._expected, self._actual), texts, strict=True):
            box.setPlainText(block(text, SHOWN))
        is_rubric = answer is not None and answer.is_rubric
        self._expects.set_text(self.tr("What a good answer must do") if is_rubric else self.tr("Expected"))
        for button in (self._good, self._bad, self._skip):
            button.set_allowed(answer is not None, self.tr("There is no further answer to grade."))
        self._said.set_text(self._words(answer is None))
        self._judge()

    def _words(self, is_over: bool) -> str:
        if not self._answers and not self._kept:
            return self.tr(
                "There is no answer to grade yet: they come from the unseen cases of runs. Start a run first."
            )
        good, bad = self._counts()
        said = self.tr("{good} graded good, {bad} bad; an exam takes {least} of both kinds together.").format(
            good=good, bad=bad, least=LEAST
        )
        if is_over:
            return said + " " + self.tr("There is no further answer to grade.")
        mark = self._grades.get(self._place)
        place = self.tr("Answer {n} of {all}").format(n=self._place + 1, all=len(self._answers))
        known = "" if mark is None else (" · " + (self.tr("graded good") if mark else self.tr("graded bad")))
        return f"{place}{known}. {said}"

    def _counts(self) -> tuple[int, int]:
        marks = [*self._kept, *self._grades.values()]
        return sum(marks), len(marks) - sum(marks)

    def _grade(self, is_good: bool) -> None:
        if self._pages.currentIndex() or self._place >= len(self._answers):
            return
        case = self._answers[self._place].graded(is_good)
        self._grades[self._place] = is_good
        self._tasks.start(self._keep(case), "keep a grade")
        self._step(1)

    async def _keep(self, case: Any) -> None:
        try:
            await self._desk.workspace.keep_grades([case])
        except HoneyguideError as error:
            self._fail(error)

    def _step(self, by: int) -> None:
        if not self._pages.currentIndex():
            self._place = max(0, min(len(self._answers), self._place + by))
            self._show_one()

    # --- the exam

    def _judge(self) -> None:
        good, bad = self._counts()
        enough = good + bad >= LEAST and good > 0 and bad > 0
        self._take.set_allowed(enough, self.tr("Grade at least {n} answers, good and bad ones.").format(n=LEAST))

    def _on_take(self) -> None:
        self._take.set_allowed(False, self.tr("The judge is being examined."))
        self._said.set_text(self.tr("The judge grades the same answers, twice, and once in another order…"))
        self._error.show_hint("")
        # A person pressed the button: that is the agreement to what it costs.
        self._tasks.latest(
            "exam", lambda: self._desk.workspace.judge_exam(is_confirmed=True), self._show_result, failed=self._fail
        )

    def _show_result(self, exam: JudgeExam) -> None:
        self._pages.setCurrentIndex(1)
        verdict = self.tr("{model} passed: it may verify.") if exam.passed else self.tr("{model} did not pass.")
        self._said.set_text(verdict.format(model=exam.model))
        report = exam.report
        lines = [spoken(line) for line in report.get("failures", [])]
        names = {
            "kappa": self.tr("Agreement with you beyond chance (kappa)"),
            "repeatability": self.tr("The same verdict each time"),
            "position_flips": self.tr("Verdicts that change with the order"),
            "length_slope": self.tr("Score that 1,000 characters more are worth"),
            "self_preference": self.tr("Score on top for answers of its own model"),
        }
        lines += [f"{words}: {_figure(report[name])}" for name, words in names.items()]
        lines.append(
            self.tr("Missing verdicts: {n} of {all}").format(
                n=figures.whole(report["unscored"]), all=figures.whole(report["verdicts"])
            )
        )
        self._result.setPlainText("\n".join(lines))
        for button in (self._good, self._bad, self._skip):
            button.set_allowed(False, self.tr("The exam is over."))

    def _fail(self, error: Exception) -> None:
        sentence = said_of(error)
        self._error.show_hint(sentence, Severity.BAD)
        self._judge()


def _figure(figure: dict[str, Any]) -> str:
    value, interval = figure["value"], figure["interval"]
    if value is None:
        return "–"
    said = figures.decimal(value, 2)
    return f"{said} ({figures.decimal(interval[0], 2)} … {figures.decimal(interval[1], 2)})" if interval else said


def _box(name: str, spoken: str) -> QPlainTextEdit:
    box = named(QPlainTextEdit(), name, spoken)
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setFont(Metrics.font(Type.PROSE))
    return box
