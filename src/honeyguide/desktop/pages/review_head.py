"""The head of a review: what changed in one sentence, the outcome in plain words with why, the gain, the cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from honeyguide.desktop.rows import models_words
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import way_words
from honeyguide.desktop.theme.outcomes import kind_wording
from honeyguide.desktop.widgets.bars import IntervalBar
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.chips import OutcomeBadge
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel

if TYPE_CHECKING:
    from honeyguide.workspace import DiffView, RunDetail


class ReviewHead(QWidget):
    """Every sentence is made from stored numbers.

    Signals:
        back(): the list is wanted back. continue_wanted(): the evidence shall go on.
        connection_wanted(): proxy and certificates are wanted.

    Attributes:
        why: why the run came to its end, in one sentence.
        decision_words: what stands beside the buttons of a run that is decided.
    """

    back = Signal()
    continue_wanted = Signal()
    connection_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("review-head")
        self.why = ""
        self.decision_words = ""
        self._back = Button(self.tr("Back to the list"), "review-back", look=Look.LINK, icon="chevron-left")
        self._back.clicked.connect(lambda: self.back.emit())
        self._back.hide()
        self._title = ElidedLabel("", Type.TITLE, strong=True)
        self._title.setObjectName("review-title")
        self._badge = OutcomeBadge()
        self._sentence = PlainLabel("", selectable=True)
        self._sentence.setObjectName("review-sentence")
        self._facts = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._facts.setObjectName("review-facts")
        self._interval = IntervalBar()
        self._interval.setMaximumWidth(Metrics.characters(36))
        self._stale = HintBar("", Severity.WARN, closable=False, name="review-stale")
        self._offline = HintBar("", Severity.WARN, closable=False, name="review-offline")
        self._offline.acted.connect(self.connection_wanted)
        self._open = HintBar("", Severity.INFO, closable=False, name="review-continue")
        self._open.acted.connect(self.continue_wanted)
        top = QHBoxLayout()
        top.setSpacing(Metrics.GAP_2)
        top.addWidget(self._title, 1)
        top.addWidget(self._badge)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._sentence)
        words.addWidget(self._facts)
        middle = QHBoxLayout()
        middle.setSpacing(Metrics.GAP_2)
        middle.addLayout(words, 1)
        middle.addWidget(self._interval)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP + 2, Metrics.MARGIN, Metrics.GRID)
        column.setSpacing(Metrics.GRID)
        column.addWidget(self._back)
        column.addLayout(top)
        column.addLayout(middle)
        column.addWidget(self._offline)
        column.addWidget(self._stale)
        column.addWidget(self._open)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_alone(self, alone: bool) -> None:
        """Offer the way back to the list, or not."""
        self._back.setVisible(alone)

    def show_run(self, detail: RunDetail, diff: DiffView | None) -> None:
        """Show another run."""
        proof = detail.verification
        attempt = detail.attempt
        name = attempt.target_name or kind_wording(attempt.target_kind).words
        if detail.texts:
            name = ", ".join(str(text["target"]).partition(":")[2] for text in detail.texts)
        self.why = spoken(attempt.reason)
        title = (
            f"{name}: {_lower(spoken(diff.summary))}" if diff is not None else f"{name}: {_lower(self._ended(detail))}"
        )
        self._title.set_text(title)
        if proof is not None and detail.status not in ("running", "failed"):
            self._badge.set_outcome(str(proof.get("outcome")), self.why)
        else:
            self._badge.set_state(detail.status, self.why)
        self._sentence.set_text(proof_sentence(self, proof) if proof is not None else self.why)
        self._sentence.setVisible(bool(self._sentence.raw_text()))
        interval = tuple(proof["interval"]) if proof and proof.get("interval") else None
        self._interval.setVisible(proof is not None)
        if proof is not None:
            self._interval.set_gain(proof.get("delta"), interval, proof.get("noise_floor"))
        self._facts.set_text(self._fact_words(detail))
        self._show_offline(detail)
        self._show_stale(detail)
        said = open_words(self, detail)
        self._open.show_hint(said, Severity.INFO, action=self.tr("Measure more…") if said else "")
        self.decision_words = self._decision_words(detail)

    def _show_offline(self, detail: RunDetail) -> None:
        """Say plainly that there was no connection, that nothing is lost, and where one is set up."""
        said = self.tr(
            "Offline: the model could not be reached. The run is kept. Once there is a connection, Resume goes on "
            "where it stopped. Behind a company's network a proxy or a certificate may be missing."
        )
        is_offline = detail.lost_connection
        self._offline.show_hint(
            said if is_offline else "", Severity.WARN, action=self.tr("Proxy and certificates…") if is_offline else ""
        )

    def _show_stale(self, detail: RunDetail) -> None:
        receipt = detail.receipt
        is_stale = bool(receipt and receipt["stale"]) and detail.status == "proposed"
        reasons = " ".join(map(spoken, receipt["reasons"])) if receipt and is_stale else ""
        said = self.tr("The proof is older than what it speaks of: {reasons}").format(reasons=reasons)
        self._stale.show_hint(said if is_stale else "", Severity.WARN)

    def _fact_words(self, detail: RunDetail) -> str:
        attempt = detail.attempt
        parts = [kind_wording(attempt.target_kind).words]
        if attempt.finished_at or detail.status == "running":
            calls = figures.whole(attempt.calls)
            parts.append(self.tr("{calls} calls, {cost}").format(calls=calls, cost=figures.money(attempt.cost_usd)))
        model = models_words(attempt.model)
        if model:
            parts.append(self.tr("measured with the practice model") if model == "practice" else model)
        if detail.grades_itself:
            parts.append(self.tr("the model graded its own answers"))
        proof = detail.verification
        if proof and proof.get("unscored"):
            one, many = self.tr("1 answer unscored"), self.tr("{n} answers unscored")
            parts.append(figures.counted(proof["unscored"], one, many))
        return " · ".join(parts)

    def _ended(self, detail: RunDetail) -> str:
        if detail.lost_connection:
            return self.tr("There was no connection to the model")
        return {
            "running": self.tr("Looking for a better text"),
            "skipped-delta": self.tr("Nothing better was found"),
            "skipped-gates": self.tr("A check refused every better text"),
            "skipped-trigger": self.tr("There was too little history"),
            "aborted": self.tr("The run was stopped"),
            "interrupted": self.tr("The run was interrupted"),
            "inconclusive": self.tr("The run could not tell"),
            "failed": self.tr("The run broke off"),
        }.get(detail.status, detail.status)

    def _decision_words(self, detail: RunDetail) -> str:
        status = detail.status
        note = detail.run.user_note if detail.run is not None and detail.run.user_note else ""
        last = detail.decisions[-1] if detail.decisions else None
        who = ""
        if last:
            way = way_words(str(last["way"]))
            who = self.tr("by {user}, {way}").format(user=last["user"] or self.tr("somebody"), way=way)
        words = {
            "deployed": self.tr("Deployed: agents load this text."),
            "accepted": self.tr("Accepted; the deploy goes on."),
            "rejected": self.tr("Rejected: the live text stayed as it was."),
            "running": self.tr("You may close the window; it can be resumed without paying twice."),
        }.get(status, "")
        if detail.can_resume:
            words = self.tr("Resume goes on where it stopped; nothing is paid twice.")
        if status == "failed" and detail.run is not None:
            words = self.tr("The deploy failed: {reason}").format(reason=spoken(detail.run.failure_reason))
        parts = [part for part in (words, who if status in ("deployed", "rejected") else "", note) if part]
        return " ".join(parts)


def proof_sentence(widget: QWidget, proof: Mapping[str, Any]) -> str:
    """Return the measurement in one sentence, from its stored numbers."""
    tr = widget.tr
    n, wins, losses, ties = (proof.get(key) for key in ("n", "wins", "losses", "ties"))
    if not isinstance(n, int) or not n:
        return tr("It was not measured on unseen cases.")
    whole = figures.whole
    said = tr("Better on {wins} of {n} unseen cases, worse on {losses}, same on {ties}").format(
        wins=whole(wins), n=whole(n), losses=whole(losses), ties=whole(ties)
    )
    interval = proof.get("interval")
    if interval:
        is_gain = proof.get("outcome") == "verified_improvement"
        words = tr("; gain {range} points") if is_gain else tr("; difference {range} points, a gain is not proven")
        if proof.get("outcome") == "rejected":
            words = tr("; difference {range} points")
        said += words.format(range=figures.points_range(*interval))
        noise = proof.get("noise_floor")
        if isinstance(noise, int | float):
            said += tr(", noise ±{noise}").format(noise=figures.decimal(noise * 100, 0))
    return f"{said}."


def open_words(widget: QWidget, detail: RunDetail) -> str:
    """Return what would likely decide a proposal whose evidence can go on; empty for every other run."""
    proof, tr = detail.verification or {}, widget.tr
    if detail.status != "proposed" or proof.get("outcome") not in ("inconclusive", "regression_safe"):
        return ""
    cases, verdicts = proof.get("more_examples"), proof.get("more_repeats")
    goal = tr("decide it") if proof["outcome"] == "inconclusive" else tr("prove the gain")
    if cases and verdicts:
        said = tr("About {n} more cases, or {verdicts} verdicts per case, would likely {goal}.")
    elif cases:
        said = tr("About {n} more cases would likely {goal}.")
    elif verdicts:
        said = tr("{verdicts} verdicts per case would likely {goal}.")
    else:
        said = tr("The evidence can go on where it stopped.")
    return said.format(n=figures.whole(cases or 0), verdicts=figures.whole(verdicts or 0), goal=goal)


def _lower(sentence: str) -> str:
    """Return a sentence as it goes on after a colon, without its full stop."""
    text = sentence.strip().rstrip(".")
    return text[:1].lower() + text[1:]
