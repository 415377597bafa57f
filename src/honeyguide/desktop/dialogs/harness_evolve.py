"""Having a change drafted: what a person found, how much may be spent, and the plan before anything is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QComboBox, QFormLayout, QPlainTextEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.dialogs.run_options import Ceilings
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.rows import models_words
from honeyguide.desktop.said import said_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import model_words
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.number_fields import WholeField


@dataclass(frozen=True, slots=True)
class EvolveWish:
    """What a person asks for.

    Attributes:
        model: ``None`` for the one that is set up for proposing.
        replay: recorded inputs to run again on both states; 0 leaves the proposal unproven.
    """

    model: str | None
    notes: tuple[str, ...]
    replay: int
    max_calls: int | None
    max_usd: float | None


Plan = Callable[[EvolveWish], Awaitable[Mapping[str, Any]]]
_NOTES = "harness.notes"
_PLAN_DELAY_MS = 250


class HarnessEvolveDialog(Dialog):
    """The plan is made anew with every change; asking is off, with the reason, where it cannot work."""

    def __init__(
        self, name: str, models: Sequence[str], plan: Plan, tasks: TaskScope, memory: Memory, parent: QWidget | None
    ) -> None:
        super().__init__("harness-evolve", parent.tr("Draft a change") if parent else "", parent, wide=76)
        self._plan = plan
        self._memory = memory
        self._tasks = tasks.child("plan a draft")
        self.add_title(self.tr("Draft a change for {name}").format(name=one_line(name, 60)))
        self.add_text(
            self.tr("A strong model looks at how runs of the live version failed and drafts one small change. It goes "
                    "through the gate and waits in the queue; nothing is applied."),
            Role.TEXT_2,
        )  # fmt: skip
        self._model = named(QComboBox(), "harness-evolve-model", self.tr("Model that drafts"))
        for number, each in enumerate(models):
            self._model.addItem(model_words(each), None if number == 0 else each)
        self._notes = named(QPlainTextEdit(), "harness-evolve-notes", self.tr("What you found"))
        self._notes.setPlainText(memory.text(_NOTES))
        self._notes.setPlaceholderText(self.tr("One finding a line, beside what the journals show. May stay empty."))
        self._notes.setTabChangesFocus(True)
        self._notes.setMaximumHeight(Metrics.row_height() * 3)
        self._replay = named(WholeField(), "harness-evolve-replay", self.tr("Recorded inputs to run again"))
        self._replay.setRange(0, 200)
        self._replay.setSpecialValueText(self.tr("none: leave it unproven"))
        self.ceilings = Ceilings()
        self.ceilings.calls.setSpecialValueText(self.tr("as set for the workspace"))
        form = QFormLayout()
        form.setVerticalSpacing(Metrics.GAP)
        form.addRow(self.tr("Model that drafts"), self._model)
        form.addRow(self.tr("What you found"), self._notes)
        form.addRow(self.tr("Run again for a proof"), self._replay)
        form.addRow(self.tr("Ceiling"), self.ceilings)
        self.body.addLayout(form)
        self._headline = PlainLabel("", Type.TITLE)
        self._headline.setObjectName("harness-evolve-plan")
        self._about = PlainLabel("", role=Role.TEXT_2)
        self._hint = HintBar("", Severity.WARN, closable=False, name="harness-evolve-reason")
        for part in (self._headline, self._about, self._hint):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.add_cancel()
        self._go = self.add_button(self.tr("Draft it"), "harness-evolve-go", look=Look.PRIMARY, icon="play")
        self._go.clicked.connect(lambda _: self.accept())
        for signal in (self._model.currentIndexChanged, self._replay.valueChanged, self.ceilings.changed):
            signal.connect(lambda *_: self._on_changed())
        self._notes.textChanged.connect(self._on_changed)
        self.finished.connect(lambda _: self._tasks.close())
        self._on_changed(delay=0)

    def wish(self) -> EvolveWish:
        """Return what is asked for."""
        notes = tuple(line.strip() for line in self._notes.toPlainText().splitlines() if line.strip())
        model = self._model.currentData()
        return EvolveWish(
            str(model) if model else None,
            notes,
            self._replay.value(),
            self.ceilings.max_calls(),
            self.ceilings.max_usd(),
        )

    def forget_draft(self) -> None:
        """Forget the findings, once they were handed on."""
        self._memory.set(_NOTES, None)

    def _on_changed(self, *, delay: int = _PLAN_DELAY_MS) -> None:
        self._memory.set(_NOTES, self._notes.toPlainText() or None)
        self._headline.set_text(self.tr("Planning…"))
        self._go.set_allowed(False, self.tr("The plan is being made."))
        wish = self.wish()
        self._tasks.latest("plan", lambda: self._plan(wish), self._show, failed=self._fail, delay_ms=delay)

    def _show(self, plan: Mapping[str, Any]) -> None:
        calls, usd = plan["calls"], plan.get("usd")
        low, high = figures.whole(round(calls["low"])), figures.whole(round(calls["high"]))
        is_free = usd is not None and usd.get("high") == 0
        if is_free:
            cost = self.tr("free")
        else:
            cost = self.tr("price unknown") if usd is None else figures.money_range(usd["low"], usd["high"])
        self._headline.set_text(self.tr("{low} to {high} calls, {cost}").format(low=low, high=high, cost=cost))
        tokens = plan.get("tokens") or {}
        about = self.tr("With {model}; {low} to {high} tokens.").format(
            model=model_words(models_words(str(plan.get("model") or ""))),
            low=figures.whole(round(tokens.get("low") or 0)),
            high=figures.whole(round(tokens.get("high") or 0)),
        )
        self._about.set_text(about)
        self.ceilings.set_costs_money(not is_free)
        reasons = [str(reason["message"]) for reason in plan["reasons"]]
        is_ready = bool(plan["ready"])
        reason = " ".join(reasons)
        if is_ready and usd is None and self.wish().max_calls is None:
            is_ready, reason = False, self.tr("The price of this model is not known: set a ceiling on calls.")
        self._hint.show_hint(reason, Severity.INFO if is_ready else Severity.WARN)
        self._go.set_allowed(is_ready, reason)

    def _fail(self, error: Exception) -> None:
        self._headline.set_text(self.tr("There is no plan"))
        self._about.set_text("")
        sentence = said_of(error)
        self._hint.show_hint(sentence, Severity.BAD)
        self._go.set_allowed(False, sentence)
