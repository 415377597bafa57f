"""Having a change of a flow proposed: which flow, how much may be tried, the plan, and trust in the suite's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.dialogs.files import ask_files
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import model_words
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.number_fields import WholeField

if TYPE_CHECKING:
    from honeyguide.workspace import FlowOptions, FlowPlan

_PLAN_DELAY_MS = 250
_MOST_PROPOSALS = 10
_MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class FlowWish:
    """The flow and what a person agreed to."""

    path: Path
    options: FlowOptions


class FlowProposeDialog(Dialog):
    """The plan is made anew with every change; it is free. Asking is off, with the reason, where it cannot work."""

    def __init__(self, desk: Desk, tasks: TaskScope, flows: Sequence[Path]) -> None:
        """``flows`` are those that are known, the likeliest first."""
        super().__init__("flow-propose-dialog", desk.window.tr("Propose a change"), desk.window, wide=84)
        self._desk = desk
        self._tasks = tasks.child("plan a proposal")
        self._plan: FlowPlan | None = None
        self.add_title(self.tr("Propose a change of a flow"))
        self.add_text(
            self.tr("The maintainer model reads the open problems of the flow and proposes a new text. It is proven on "
                    "the flow's own suite, in a private copy; the flow stays as it is until you apply."),
            Role.TEXT_2,
        )  # fmt: skip
        self.flow = named(QComboBox(), "flow-propose-flow", self.tr("Flow"))
        for path in flows:
            self._offer(path)
        other = Button(self.tr("Another file…"), "flow-propose-other", icon="folder")
        other.clicked.connect(lambda: self._tasks.start(self._choose(), "choose a flow"))
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(self.flow, 1)
        row.addWidget(other)
        self.tries = named(WholeField(), "flow-propose-tries", self.tr("Proposals to try at most"))
        self.tries.setRange(1, _MOST_PROPOSALS)
        self.rounds = named(WholeField(), "flow-propose-rounds", self.tr("Rounds of a search"))
        self.rounds.setRange(0, _MOST_ROUNDS)
        self.rounds.setSpecialValueText(self.tr("no search"))
        form = QFormLayout()
        form.setVerticalSpacing(Metrics.GAP)
        form.addRow(self.tr("Flow"), row)
        form.addRow(self.tr("Proposals to try at most"), self.tries)
        form.addRow(self.tr("Or search in so many rounds"), self.rounds)
        self.body.addLayout(form)
        self._headline = PlainLabel("", Type.TITLE)
        self._headline.setObjectName("flow-propose-plan")
        self._about = PlainLabel("", role=Role.TEXT_2)
        self._about.setObjectName("flow-propose-about")
        self._notice = PlainLabel("", role=Role.TEXT_2)
        self._hint = HintBar("", Severity.WARN, closable=False, name="flow-propose-reason")
        self.trust = named(QCheckBox(), "flow-propose-trust", self.tr("Trust the suite's code"))
        for part in (self._headline, self._about, self._notice, self.trust, self._hint):
            self.body.addWidget(part)
        self.trust.hide()
        self.body.addStretch(1)
        self.add_cancel()
        self._go = self.add_button(self.tr("Propose"), "flow-propose-go", look=Look.PRIMARY, icon="play")
        self._go.clicked.connect(lambda _: self.accept())
        self.flow.currentIndexChanged.connect(lambda _: self._on_changed())
        self.tries.valueChanged.connect(lambda _: self._on_changed())
        self.rounds.valueChanged.connect(self._on_rounds)
        self.trust.toggled.connect(lambda _: self._judge())
        self.finished.connect(lambda _: self._tasks.close())
        self._on_changed(delay=0)

    def wish(self) -> FlowWish:
        """Return what is asked for, agreed to at the price that was shown."""
        return FlowWish(Path(str(self.flow.currentData())), self._options(confirmed=True))

    # --- inside

    def _options(self, *, confirmed: bool) -> FlowOptions:
        from honeyguide.workspace import FlowOptions, SearchSize

        rounds = self.rounds.value()
        return FlowOptions(
            candidates=1 if rounds else self.tries.value(),
            search=SearchSize(generations=rounds) if rounds else None,
            is_confirmed=confirmed,
            trusts_suite=confirmed and self.trust.isChecked(),
        )

    def _offer(self, path: Path) -> int:
        place = self.flow.findData(str(path))
        if place < 0:
            self.flow.addItem(one_line(f"{path.name}   {path.parent}", 100), str(path))
            place = self.flow.count() - 1
        return place

    async def _choose(self) -> None:
        files = await ask_files(self, self.tr("Choose a flow"))
        if files:
            self.flow.setCurrentIndex(self._offer(files[0]))

    def _on_rounds(self, rounds: int) -> None:
        self.tries.setEnabled(not rounds)
        self._on_changed()

    def _on_changed(self, *, delay: int = _PLAN_DELAY_MS) -> None:
        self._plan = None
        self.trust.setChecked(False)
        self._judge()
        chosen = self.flow.currentData()
        if not chosen:
            return
        self._headline.set_text(self.tr("Planning…"))
        path, options, plan = Path(str(chosen)), self._options(confirmed=False), self._desk.workspace.plan_flow
        self._tasks.latest("plan", lambda: plan(path, options), self._show, failed=self._fail, delay_ms=delay)

    def _show(self, plan: FlowPlan) -> None:
        self._plan = plan
        data = plan.to_json()
        calls, usd = data["calls"], data["usd"]
        cost = self.tr("free") if plan.is_free else figures.money_range(usd["low"], usd["high"])
        if not plan.is_free and usd["high"] is None:
            cost = self.tr("price unknown")
        said = self.tr("{low} to {high} calls, {cost}").format(
            low=figures.whole(calls["low"]), high=figures.whole(calls["high"]), cost=cost
        )
        self._headline.set_text(said if plan.ready else self.tr("Nothing can be proposed"))
        names = (str(data["engine"]["name"]), str(data["maintainer"]["engine"]))
        parts = [
            self.tr("Runs on {engine}; {maintainer} proposes.").format(
                engine=model_words(names[0]), maintainer=model_words(names[1])
            ),
            self.tr("Open problems: {n}, in a case of the suite: {covered}.").format(
                n=figures.whole(len(plan.evidence)), covered=figures.whole(len(plan.covered))
            ),
            *(spoken(one_line(warning, 200)) for warning in plan.warnings),
        ]
        self._about.set_text(" ".join(parts))
        self._notice.set_text(spoken(str(data["notice"])) if plan.ready and not plan.is_free else "")
        suite = plan.view.suite
        is_code = suite is not None and suite.is_code
        self.trust.setVisible(is_code)
        if suite is not None and is_code:
            words = self.tr("I have read {file}; its code may run with my rights, as it is now")
            self.trust.setText(words.format(file=one_line(suite.path.name, 60)))
        self._judge()

    def _judge(self) -> None:
        plan, reason = self._plan, ""
        if not self.flow.currentData():
            reason = self.tr("Choose a flow.")
        elif plan is None:
            reason = self.tr("The plan is being made.")
        elif not plan.ready:
            reason = spoken(plan.decision.reason)
        elif self.trust.isVisibleTo(self) and not self.trust.isChecked():
            reason = self.tr("The suite is code: read it, then say that you trust it.")
        is_bad = bool(reason) and plan is not None
        self._hint.show_hint(reason if is_bad or not self.flow.currentData() else "", Severity.WARN)
        self._go.set_allowed(not reason, reason)
        words = self.tr("Propose")
        if plan is not None and plan.ready and not plan.is_free:
            words = self.tr("Propose, with at most {n} calls").format(n=figures.whole(plan.to_json()["calls"]["high"]))
        self._go.setText(words)

    def _fail(self, error: Exception) -> None:
        self._headline.set_text(self.tr("There is no plan"))
        self._about.set_text("")
        sentence = said_of(error)
        self._hint.show_hint(sentence, Severity.BAD)
        self._go.set_allowed(False, sentence)
