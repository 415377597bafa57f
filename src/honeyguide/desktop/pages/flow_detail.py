"""One proposal for a flow: outcome, difference, trials, what its proof rests on, and the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from honeyguide.desktop.models.flows import WAITING, status_look
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.diff import DiffPanel
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel, named
from honeyguide.desktop.widgets.states import RoleIcon, StateStack
from honeyguide.desktop.widgets.trials import TrialsTree, trial_cases

if TYPE_CHECKING:
    from honeyguide.workspace import FlowRunDetail


class FlowDetailPanel(QWidget):
    """Shows one proposal; what its buttons do is up to the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("flow-detail")
        self._sign = RoleIcon("")
        self._outcome = PlainLabel("", Type.TITLE, strong=True, wrap=False)
        self._outcome.setObjectName("flow-outcome")
        self._why = PlainLabel("", selectable=True)
        self._why.setObjectName("flow-why")
        self._about = ElidedLabel("", Type.MONO, Role.TEXT_2, middle=True)
        self.doubt = HintBar("", Severity.WARN, closable=False, name="flow-doubt")
        self.diff = DiffPanel()
        self.diff.set_editable(False)
        self.changes = StateStack(self.diff)
        self.trials = TrialsTree("flow-trials")
        self.checks = GateList()
        self.journal = named(QTreeWidget(), "flow-journal", self.tr("Journal"))
        self.journal.setHeaderLabels([self.tr("When"), self.tr("What"), self.tr("Details")])
        self.journal.setRootIsDecorated(False)
        self.journal.setColumnWidth(0, Metrics.characters(26))
        self.journal.setColumnWidth(1, Metrics.characters(26))
        self.tabs = named(QTabWidget(), "flow-tabs", self.tr("Parts of the proposal"))
        self.tabs.setDocumentMode(True)
        for part in (self.changes, self.trials, self.checks, self.journal):
            self.tabs.addTab(part, "")
        self.apply = Button(self.tr("Apply…"), "flow-apply", look=Look.PRIMARY, icon="deploy")
        self.reject = Button(self.tr("Reject…"), "flow-reject", icon="cross")
        self.roll_back = Button(self.tr("Roll back…"), "flow-roll-back", icon="rollback")
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP)
        head.addWidget(self._sign)
        head.addWidget(self._outcome)
        head.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addStretch(1)
        for button in (self.roll_back, self.reject, self.apply):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        column.addLayout(head)
        for label in (self._why, self._about, self.doubt):
            column.addWidget(label)
        column.addWidget(self.tabs, 1)
        column.addLayout(row)

    def show_run(self, detail: FlowRunDetail, rows: Any) -> None:
        """Show a proposal; ``rows`` is its comparison, ``None`` where nothing was proposed."""
        run = detail.run
        words, role, sign = status_look(run.status.value)
        self._sign.set_icon(sign, role)
        self._outcome.set_text(words[:1].upper() + words[1:])
        self._outcome.set_role(role)
        calls = self.tr("{done} of {planned} calls").format(
            done=run.actual_invocations, planned=run.planned_invocations
        )
        self._why.set_text(" · ".join(part for part in (spoken(run.reason), calls) if part))
        self._about.set_text(str(run.flow_path))
        self.doubt.show_hint(" ".join(detail.doubts), Severity.WARN)
        if rows is None:
            self.changes.show_empty(
                self.tr("Nothing was proposed"), self.tr("This run made no new text for the flow."), icon="equal"
            )
        else:
            self.changes.show_content()
        self.diff.set_rows(rows or (), titles=(self.tr("Now"), self.tr("Proposed")))
        cases = trial_cases(detail.current, detail.proposal)
        self.trials.set_cases(cases)
        self.checks.set_gates(self._checks(detail))
        self._show_journal(detail)
        failed = sum(row.verdict in ("fail", "warn") for row in self.checks.gates())
        titles = (
            self.tr("Changes"),
            f"{self.tr('Trials')} {len(cases)}" if cases else self.tr("Trials"),
            f"{self.tr('Checks')} {failed}" if failed else self.tr("Checks"),
            self.tr("Journal"),
        )
        for place, title in enumerate(titles):
            self.tabs.setTabText(place, title)
        closed = self.tr("It is not a proposal that waits.")
        self.apply.set_allowed(run.status.value in WAITING, closed)
        self.reject.set_allowed(run.status.value in (*WAITING, "inconclusive"), closed)
        self.roll_back.set_allowed(run.status.value == "applied", self.tr("It is not applied."))

    def _checks(self, detail: FlowRunDetail) -> list[GateRow]:
        run = detail.run
        difference = run.capability_diff or {}
        added = [str(each) for each in difference.get("added") or difference.get("additions") or ()]
        removed = [str(each) for each in difference.get("removed") or ()]
        group = self.tr("Capabilities: what the flow could newly do")
        rows = [
            GateRow("capability", "fail", one_line(each, 300), None, group, self.tr("New ability")) for each in added
        ]
        rows += [
            GateRow("capability", "pass", one_line(each, 300), None, group, self.tr("Ability that goes"))
            for each in removed
        ]
        if not added and not removed:
            verdict = "pass" if run.capability_diff is not None else "skipped"
            said = self.tr("Nothing is added and nothing goes.") if verdict == "pass" else self.tr("Not compared yet.")
            rows.append(GateRow("capability", verdict, said, None, group, self.tr("Abilities")))
        group = self.tr("Receipt: is the proof still about what is live?")
        state = detail.receipt_state
        words = self.tr("Proof and present state")
        if state == "current":
            digest = str((detail.receipt or {}).get("fingerprint") or (detail.receipt or {}).get("digest") or "")[:16]
            said = self.tr("Nothing that decided it has changed.")
            rows.append(GateRow("receipt", "pass", f"{said} {digest}".strip(), None, group, words))
        elif state == "stale":
            rows += [GateRow("receipt", "warn", each, None, group, words) for each in detail.receipt_changed or ()]
        else:
            said = detail.receipt_problem or self.tr("This run holds no receipt.")
            rows.append(GateRow("receipt", "warn", said, None, group, words))
        group = self.tr("Journal")
        whole = self.tr("Every line fits the one before.")
        broken = self.tr("The journal of this run was changed.")
        is_whole = detail.journal_is_whole
        rows.append(
            GateRow("journal", "pass" if is_whole else "fail", whole if is_whole else broken, None, group,
                    self.tr("Chain of the journal"))
        )  # fmt: skip
        return rows

    def _show_journal(self, detail: FlowRunDetail) -> None:
        self.journal.clear()
        for event in detail.journal[-2000:]:
            known = ("runId", "type", "timestamp", "hash", "prev")
            rest = ", ".join(f"{key}: {value}" for key, value in event.items() if key not in known)
            item = QTreeWidgetItem(
                [
                    one_line(str(event.get("timestamp") or figures.unknown()), 40),
                    one_line(str(event.get("type") or "").replace("_", " "), 60),
                    one_line(rest, 400),
                ]
            )
            item.setToolTip(2, tooltip(rest))
            self.journal.addTopLevelItem(item)
