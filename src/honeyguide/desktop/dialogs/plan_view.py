"""What a run would do and cost, before it does anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPlainTextEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from honeyguide.desktop.rows import models_words
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import block, one_line
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import DatasetReport, PlanReport

SECONDS_PER_CALL = {"practice": 0.004, "other": 4.0}
"""What a call takes when nothing else is known; a plan is a range, not a promise."""


class PlanView(QWidget):
    """The plan in sentences and one table of stages."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "plan", self.tr("Plan"))
        self._headline = PlainLabel("", Type.TITLE)
        self._headline.setObjectName("plan-headline")
        self._about = PlainLabel("", role=Role.TEXT_2)
        self._about.setObjectName("plan-about")
        self._reason = HintBar("", Severity.WARN, closable=False, name="plan-reason")
        self._stages = PlainLabel("", role=Role.TEXT)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        for part in (self._headline, self._about, self._reason, self._stages):
            column.addWidget(part)
        column.addStretch(1)
        self.show_waiting("")

    def show_waiting(self, words: str) -> None:
        """Say that the plan is being made, or why there is none."""
        self._headline.set_text(words)
        self._about.set_text("")
        self._stages.set_text("")
        self._reason.show_hint("")

    def show_plan(self, report: PlanReport, concurrency: int) -> None:
        """Show a plan."""
        data = report.to_json()
        calls, usd = data["calls"], data["usd"]
        low, high = figures.whole(calls["low"]), figures.whole(calls["high"])
        cost = self.tr("free") if not report.costs_money else figures.money_range(usd["low"], usd["high"])
        said = self.tr("{low} to {high} calls, {cost}, {time}")
        self._headline.set_text(said.format(low=low, high=high, cost=cost, time=self._time(report, concurrency)))
        names = dict.fromkeys(models_words(name) for name in report.models.values())
        models = ", ".join(self.tr("practice model") if name == "practice" else name for name in names)
        tokens = data.get("tokens") or {}
        about = self.tr("With {models}; {low} to {high} tokens.").format(
            models=models, low=figures.whole(tokens.get("low")), high=figures.whole(tokens.get("high"))
        )
        if report.together:
            others = ", ".join(name.partition(":")[2] for name in report.together)
            about += " " + self.tr("Together with {names}.").format(names=others)
        if report.price_is_unknown:
            about += " " + self.tr("The price of this model is not known: set a ceiling on calls.")
        self._about.set_text(about)
        names = {
            "schema": self.tr("Structure of answers"),
            "instruction": self.tr("Text"),
            "verification": self.tr("Proof on unseen cases"),
        }
        lines = [
            self.tr("{stage}: {low} to {high} calls").format(
                stage=names.get(stage["name"], stage["name"]),
                low=figures.whole(stage["calls"]["low"]),
                high=figures.whole(stage["calls"]["high"]),
            )
            for stage in data["stages"]
        ]
        self._stages.set_text("\n".join(lines))
        reasons = [spoken(reason["message"]) for reason in data["reasons"]]
        self._reason.show_hint(" ".join(reasons), Severity.INFO if data["ready"] else Severity.WARN)

    def _time(self, report: PlanReport, concurrency: int) -> str:
        calls = report.to_json()["calls"]
        is_practice = all(name.startswith("practice") for name in report.models.values())
        each = SECONDS_PER_CALL["practice"] if is_practice else SECONDS_PER_CALL["other"] / max(1, concurrency)
        low, high = (_about(calls[end] * each) for end in ("low", "high"))
        return (
            self.tr("about {time}").format(time=low)
            if low == high
            else self.tr("about {low} to {high}").format(low=low, high=high)
        )


class DataView(QWidget):
    """The cases a run would learn from and be measured on, and what was left out and why."""

    def __init__(self) -> None:
        super().__init__()
        self._sum = PlainLabel("")
        self._sum.setObjectName("data-sum")
        self._dropped = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._tree = named(QTreeWidget(), "data-preview", self.tr("Some of the cases"))
        self._tree.setHeaderLabels([self.tr("Input"), self.tr("Expected"), self.tr("Used for")])
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self._sum)
        column.addWidget(self._dropped)
        column.addWidget(self._tree, 1)

    def show_report(self, report: DatasetReport) -> None:
        """Show a dataset."""
        whole = figures.whole
        said = self.tr("{train} cases to learn from, {validation} to choose by, {holdout} kept unseen for the proof; "
                       "from {sourced} traces.")  # fmt: skip
        self._sum.set_text(
            said.format(
                train=whole(report.train), validation=whole(report.validation), holdout=whole(report.holdout),
                sourced=whole(report.sourced),
            )
        )  # fmt: skip
        dropped = ", ".join(f"{drop_words(reason)} {whole(n)}" for reason, n in sorted(report.dropped.items()))
        self._dropped.set_text(self.tr("Left out: {reasons}").format(reasons=dropped) if dropped else "")
        self._tree.clear()
        for row in report.preview:
            item = QTreeWidgetItem(_preview_columns(row))
            self._tree.addTopLevelItem(item)
        self._tree.setColumnWidth(0, Metrics.characters(38))
        self._tree.setColumnWidth(1, Metrics.characters(30))
        self._tree.setVisible(bool(report.preview))


class OutboxView(QWidget):
    """The first requests exactly as they would leave; nothing has been sent."""

    def __init__(self) -> None:
        super().__init__()
        self._about = PlainLabel("", role=Role.TEXT_2)
        self._text = named(QPlainTextEdit(), "outbox-text", self.tr("What would be sent"))
        self._text.setReadOnly(True)
        self._text.setFont(Metrics.font(Type.MONO))
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self._about)
        column.addWidget(self._text, 1)

    def show_requests(self, requests: Sequence[Mapping[str, Any]]) -> None:
        """Show requests."""
        if not requests:
            self._about.set_text(self.tr("There is no case yet, so nothing would be sent."))
            self._text.setPlainText("")
            return
        leaves = any(request.get("url") for request in requests)
        self._about.set_text(
            self.tr("The first requests, exactly as they would leave this computer, secrets taken out.")
            if leaves
            else self.tr("Nothing would leave this computer. This is what the model would be given.")
        )
        parts = []
        for request in requests:
            head = f"── {request.get('role', '')} · {request.get('model', '')} {request.get('url', '')}".strip()
            parts.append("\n".join([head, *request.get("notes", ()), str(request.get("text", ""))]))
        self._text.setPlainText(block("\n\n".join(parts), 200_000))


def drop_words(reason: str) -> str:
    """Return why a trace was left out, in words; an unknown reason without its hyphens."""
    tr = QCoreApplication.translate
    known = {
        "duplicate": tr("Drops", "said twice"),
        "outcome-abandoned": tr("Drops", "abandoned"),
        "outcome-pending": tr("Drops", "outcome unknown"),
        "too-short-input": tr("Drops", "input too short"),
        "too-long-input": tr("Drops", "input too long"),
        "too-short-output": tr("Drops", "answer too short"),
        "secret": tr("Drops", "held a secret"),
        "never-send": tr("Drops", "never to be sent"),
    }
    return known.get(reason, reason.replace("-", " "))


def _preview_columns(row: Mapping[str, Any]) -> list[str]:
    said = [one_line(str(row.get(name) or ""), 160) for name in ("input", "expected_output")]
    split = str((row.get("metadata") or {}).get("split", ""))
    return [*said, split_words(split)]


def split_words(split: str) -> str:
    """Return what a part of the cases is for, in words."""
    tr = QCoreApplication.translate
    return {
        "train": tr("Drops", "learning"),
        "validation": tr("Drops", "choosing"),
        "holdout": tr("Drops", "the proof"),
    }.get(split, split)


def _about(seconds: float) -> str:
    """Return a length of time without false precision."""
    whole = max(1, round(seconds))
    return f"{whole} s" if whole < 60 else figures.duration(round(whole / 60) * 60)
