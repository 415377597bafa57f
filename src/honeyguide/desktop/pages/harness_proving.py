"""A draft for a harness proven by the folder's own suite: what it said last, and having it run on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, figures
from honeyguide.desktop.theme.outcomes import outcome_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.states import StateStack
from honeyguide.desktop.widgets.trials import TrialsTree, trial_cases

if TYPE_CHECKING:
    from honeyguide.workspace import SuiteProgress, SuiteView

PRACTICE = "practice:practice"


class SuiteProofTab(QWidget):
    """Signals:
    prove_wanted()
    """

    prove_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.said = HintBar("", Severity.INFO, closable=False, name="harness-suite-said")
        self.trials = TrialsTree("harness-suite-trials")
        self.stack = StateStack(self.trials)
        self.prove = Button(self.tr("Prove with the suite…"), "harness-prove", icon="check")
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.prove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Metrics.GAP, 0, 0)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.said)
        column.addWidget(self.stack, 1)
        column.addLayout(row)
        self.prove.clicked.connect(lambda _: self.prove_wanted.emit())

    def show_suite(self, suite: SuiteView | None, proof: Mapping[str, Any] | None, against: str) -> int:
        """Show what the suite said of a draft and return how many cases that are.

        Args:
            against: why it cannot be asked about this draft; empty when it can.
        """
        cases = trial_cases(proof.get("current"), proof.get("proposal")) if proof is not None else []
        self.trials.set_cases(cases)
        self.said.show_hint(*self._words(proof))
        reason = against or self._against(suite)
        self.prove.set_allowed(not reason, reason)
        if cases:
            self.stack.show_content()
        elif suite is None or suite.path is None:
            self.stack.show_empty(
                self.tr("No suite beside the folder"),
                self.tr("A file NAME.eval.yaml beside the folder says in cases what its runs have to do. The same "
                        "cases then run with and without a draft."),
                icon="check",
            )  # fmt: skip
        else:
            said = self.tr("The suite has {n} cases. It runs on copies; the folder stays as it is.")
            text = said.format(n=figures.whole(len(suite.cases)))
            self.stack.show_empty(self.tr("Not asked yet"), text, icon="check")
        return len(cases)

    def _words(self, proof: Mapping[str, Any] | None) -> tuple[str, Severity]:
        if proof is None:
            return "", Severity.INFO
        outcome = str(proof.get("outcome") or "")
        said = f"{outcome_wording(outcome).words}: {spoken(one_line(str(proof.get('reason') or ''), 300))}"
        if not proof.get("is_current"):
            stale = self.tr("This speaks of another version or of another suite; prove it again.")
            return f"{said} {stale}", Severity.WARN
        return said, Severity.GOOD if outcome == "verified_improvement" else Severity.INFO

    def _against(self, suite: SuiteView | None) -> str:
        if suite is None or suite.path is None:
            return self.tr("There is no suite beside the folder.")
        return spoken(suite.problem[1]) if suite.problem is not None else ""


class HarnessProving:
    """Runs the suite on a folder and on a copy with a draft, one at a time; ``done`` is called afterwards."""

    def __init__(self, desk: Desk, tasks: TaskScope, bar: HintBar, done: Callable[[], None]) -> None:
        self._desk = desk
        self._tasks = tasks
        self._bar = bar
        self._done = done
        self._task: asyncio.Task[Any] | None = None

    def begin(self, path: Path, proposal: str, suite: SuiteView) -> None:
        """Ask, then prove."""
        if self._task is not None:
            self._desk.notify.note(_tr("The suite is running; wait for it, or stop it."))
        else:
            self._tasks.start(self._ask(path, proposal, suite), "prove a draft")

    def stop(self) -> bool:
        """Stop what is being proven; says whether anything was."""
        if self._task is None:
            return False
        self._task.cancel()
        return True

    async def _ask(self, path: Path, proposal: str, suite: SuiteView) -> None:
        said = _tr("{cases} cases run on copies, without the draft and with it: at most {calls} calls. {cost}")
        cost = _tr("They cost what the folder's model costs.") if suite.costs_money else _tr("They cost nothing.")
        text = said.format(cases=figures.whole(len(suite.cases)), calls=figures.whole(2 * suite.calls), cost=cost)
        dialog = ConfirmDialog(
            "harness-prove-dialog",
            _tr("Prove this draft with the suite?"),
            text,
            _tr("Run the suite"),
            self._desk.window,
            other=_tr("With the practice model, free") if suite.costs_money else "",
        )
        if await dialog.ask():
            model = PRACTICE if dialog.other_chosen else None
            self._task = self._tasks.start(self._work(path, proposal, model), "run the suite")

    async def _work(self, path: Path, proposal: str, model: str | None) -> None:
        from honeyguide.workspace import ModelRef

        desk, name = self._desk, one_line(path.name, 60)
        self._say(_tr("The suite is starting…"))
        desk.underway.append(name)
        try:
            ref = None if model is None else ModelRef.parse(model)
            record = await desk.workspace.prove_harness(path, proposal, model=ref, confirmed=True, on_trial=self._told)
        except asyncio.CancelledError:
            if not self._tasks.is_closed:
                desk.notify.info(_tr("Stopped. The folder and the draft are as they were."))
            raise
        finally:
            desk.underway.remove(name)
            self._task = None
            if not self._tasks.is_closed:
                self._bar.show_hint("")
        words = outcome_wording(record.finding.value).words
        desk.notify.info(f"{words}: {spoken(one_line(record.comparison.reason, 300))}")
        self._done()

    def _told(self, progress: SuiteProgress) -> None:
        if self._task is not None:
            said = _tr("The suite runs: {done} of {planned} on this side. {case}")
            done, planned = figures.whole(progress.done), figures.whole(progress.planned)
            self._say(said.format(done=done, planned=planned, case=one_line(progress.case, 80)))

    def _say(self, said: str) -> None:
        self._bar.show_hint(said, Severity.INFO, action=_tr("Stop"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("HarnessProving", text)
