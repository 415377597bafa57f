"""The parts of the harness page: versions over time, what failed, the queue of proposals, the file with its locks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTabWidget, QVBoxLayout, QWidget

from honeyguide.desktop.models.harnesses import ClusterLine, ClusterModel, ProposalLine, ProposalModel, proof_words
from honeyguide.desktop.pages.harness_desk import ProposalView
from honeyguide.desktop.pages.harness_proof import receipt_rows, replay_cases
from honeyguide.desktop.pages.harness_proving import SuiteProofTab
from honeyguide.desktop.rows import moment
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.gate_list import GateList
from honeyguide.desktop.widgets.harness.file_diffs import ComparedFile, FileDiffs
from honeyguide.desktop.widgets.harness.points import HarnessPoint
from honeyguide.desktop.widgets.harness.proposal_parts import ProposalParts, proof_sentence
from honeyguide.desktop.widgets.harness.timeline import HarnessTimeline
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.desktop.widgets.trials import TrialsTree
from honeyguide.kernel.clock import parse_iso

if TYPE_CHECKING:
    from honeyguide.workspace.harness_views import HarnessOverview, HarnessVersion


class VersionsTab(QWidget):
    """The timeline over the comparison of two versions."""

    def __init__(self) -> None:
        super().__init__()
        self.timeline = HarnessTimeline()
        self.diff = FileDiffs("harness-version-diff")
        self.diff.hide()
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.timeline)
        splitter.addWidget(self.diff)
        splitter.setSizes([320, 320])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Metrics.GRID, 0, 0)
        column.addWidget(splitter)

    def show_versions(self, versions: Sequence[HarnessVersion]) -> None:
        """Show the versions, given oldest first."""
        self.timeline.set_versions(point_of(version) for version in versions)

    def show_diff(self, files: Sequence[ComparedFile], older: str, newer: str) -> None:
        """Show what differs between two versions."""
        self.diff.set_files(files, (older, newer))
        self.diff.show()
        self.diff.panel.view.setFocus()


class FailuresTab(QWidget):
    """What the runs of the live version say, and their failures by what they have in common."""

    def __init__(self) -> None:
        super().__init__()
        self.said = PlainLabel("", selectable=True)
        self.said.setObjectName("harness-headline")
        self.journals = HintBar("", Severity.WARN, closable=False, name="harness-journals")
        self.model = ClusterModel(self)
        self.table = DataTable("harness-clusters", self.tr("Failures that look alike"), self.model)
        self.stack = StateStack(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Metrics.GAP, 0, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.journals)
        column.addWidget(self.said)
        column.addWidget(self.stack, 1)

    def show_overview(self, overview: HarnessOverview) -> None:
        """Show what failed."""
        self.said.set_text("\n".join(f"• {spoken(line)}" for line in overview.headline))
        self.journals.show_hint(self._about_journals(overview.journals), Severity.WARN)
        self.model.set_rows(ClusterLine(c.kind, c.signature, c.count) for c in overview.clusters)
        if overview.clusters:
            self.stack.show_content()
            return
        title = self.tr("No failure of the live version is recorded")
        self.stack.show_empty(
            title, self.tr("Runs leave their journals in the folder; what failed in them is grouped here."),
            [StateAction("run", self.tr("Run once…"), "play")], icon="good",
        )  # fmt: skip

    def _about_journals(self, journals: Mapping[str, Any]) -> str:
        said = []
        broken = [entry.get("file", "") for entry in journals.get("broken_chains") or []]
        if broken:
            said.append(self.tr("The chain of these journals does not hold, somebody changed them: {files}.").format(
                files=_some(broken)))  # fmt: skip
        bad = [*(journals.get("quarantined") or []), *(journals.get("damaged") or [])]
        names = [str(entry.get("file", entry) if isinstance(entry, Mapping) else entry) for entry in bad]
        if names:
            said.append(self.tr("These journals have parts that cannot be read: {files}.").format(files=_some(names)))
        return " ".join(said)


class ProposalsTab(QWidget):
    """The queue over one proposal: why, its parts, what the gate said, the difference with frozen lines padlocked; and
    of its proof each recorded input, and what it rests on.

    Signals:
        apply_wanted(), reject_wanted()
    """

    apply_wanted = Signal()
    reject_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = ProposalModel(self)
        self.table = DataTable("harness-proposals", self.tr("Drafts that wait, and those that did"), self.model)
        self.table.setSelectionMode(DataTable.SelectionMode.SingleSelection)
        self.list_stack = StateStack(self.table)
        self.why = PlainLabel("", selectable=True, strong=True)
        self.why.setObjectName("harness-why")
        self.proof = HintBar("", Severity.INFO, closable=False, name="harness-proof")
        self.stale = HintBar("", Severity.WARN, closable=False, name="harness-stale")
        self.parts = ProposalParts()
        self.diff = FileDiffs("harness-proposal-diff")
        self.trials = TrialsTree("harness-trials")
        self.trials.setAccessibleName(self.tr("Recorded inputs, before and after"))
        self.receipt = GateList()
        self.receipt.setAccessibleName(self.tr("Receipt of the proof"))
        self.suite = SuiteProofTab()
        self.tabs = named(QTabWidget(), "harness-proposal-tabs", self.tr("Parts of the proposal"))
        self.tabs.setDocumentMode(True)
        self.apply = Button(self.tr("Apply…"), "harness-apply", look=Look.PRIMARY, icon="deploy")
        self.reject = Button(self.tr("Reject…"), "harness-reject", icon="cross")
        detail = QWidget()
        column = QVBoxLayout(detail)
        column.setContentsMargins(0, Metrics.GAP, 0, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        for part in (self.why, self.stale, self.proof):
            column.addWidget(part)
        inner = QSplitter(Qt.Orientation.Vertical)
        inner.setChildrenCollapsible(False)
        inner.addWidget(self.parts)
        inner.addWidget(self.diff)
        inner.setSizes([110, 260])
        for tab, title in (
            (inner, self.tr("Changes")), (self.trials, self.tr("Trials")), (self.receipt, self.tr("Receipt")),
            (self.suite, self.tr("Suite")),
        ):  # fmt: skip
            self.tabs.addTab(tab, title)
        column.addWidget(self.tabs, 1)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addStretch(1)
        row.addWidget(self.reject)
        row.addWidget(self.apply)
        column.addLayout(row)
        self.detail_stack = StateStack(detail)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list_stack)
        splitter.addWidget(self.detail_stack)
        splitter.setSizes([150, 440])
        splitter.setStretchFactor(1, 1)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, Metrics.GRID, 0, 0)
        around.addWidget(splitter)
        self.apply.clicked.connect(lambda _: self.apply_wanted.emit())
        self.reject.clicked.connect(lambda _: self.reject_wanted.emit())
        self.parts.changed.connect(self._judge)
        self.data: Mapping[str, Any] = {}

    def show_queue(self, overview: HarnessOverview) -> None:
        """Show the proposals of a folder; the one that was chosen stays so, else the first that waits is."""
        keep = self.table.current_key()
        rows = [
            ProposalLine(
                p.id, p.status, p.rationale, p.proof, p.trigger, parse_iso(p.created_at), p.is_stale,
                p.code_files + p.capability_changes,
            )
            for p in overview.proposals
        ]  # fmt: skip
        self.model.set_rows(rows)
        self.detail_stack.setVisible(bool(rows))
        if not rows:
            self.data = {}
            text = spoken(overview.nothing) or self.tr(
                "Let a strong model look at the failures and draft one small change."
            )
            self.list_stack.show_empty(
                self.tr("No proposal yet"), text, [StateAction("evolve", self.tr("Draft a change…"), "plus")],
                icon="harness",
            )  # fmt: skip
            return
        self.list_stack.show_content()
        first = next((row.id for row in rows if row.status == "pending"), rows[0].id)
        if not (keep and self.table.select_key(keep)):
            self.table.select_key(first)

    def show_proposal(self, view: ProposalView, *, is_trusted: bool) -> None:
        """Show one proposal; ``is_trusted`` says whether the folder's code may run."""
        data, files = view.data, view.files
        self.data = data
        self.detail_stack.show_content()
        is_open = data["status"] == "pending" and not data["stale"]
        self.why.set_text(str(data["rationale"]))
        stale = self.tr("The folder changed since this was drafted: it cannot be applied. Draft it anew.")
        self.stale.show_hint(stale if data["stale"] else "", Severity.WARN)
        proof = data.get("proof") or {}
        is_measured = proof.get("state") == "measured"
        severity = Severity.GOOD if proof.get("outcome") == "verified_improvement" else Severity.INFO
        self.proof.show_hint(proof_sentence(proof), severity if is_measured else Severity.WARN)
        cases = replay_cases(data)
        self.trials.set_cases(cases)
        self.tabs.setTabText(1, f"{self.tr('Trials')} {len(cases)}" if cases else self.tr("Trials"))
        self.receipt.set_gates(receipt_rows(data))
        against = "" if is_open else self.tr("It is not a draft that waits.")
        if is_open and not is_trusted:
            against = self.tr("Its suite runs the folder: look at it and trust it first.")
        asked = self.suite.show_suite(view.suite, view.suite_proof, against)
        self.tabs.setTabText(3, f"{self.tr('Suite')} {asked}" if asked else self.tr("Suite"))
        self.parts.set_parts(data["gate"], data.get("remaining") or (), can_choose=is_open)
        self.diff.set_files(files, (self.tr("Now"), self.tr("Proposed")))
        if data["status"] == "applied":
            self.diff.set_files(files, (self.tr("Before"), self.tr("Applied")))
        self._judge()

    def _judge(self) -> None:
        data = self.data
        if not data:
            return
        reason = ""
        if data["status"] != "pending":
            reason = self.tr("It is decided already.")
        self.reject.set_allowed(not reason, reason)
        if not reason and data["stale"]:
            reason = self.tr("The folder changed since this was drafted.")
        elif not reason and not self.parts.has_anything():
            reason = self.tr("Nothing of it is agreed to: tick what may be made.")
        self.apply.set_allowed(not reason, reason)


def point_of(version: HarnessVersion) -> HarnessPoint:
    """Return a version as the timeline paints it."""
    return HarnessPoint(
        version=version.version,
        is_live=version.is_live,
        is_kept=version.is_kept,
        since=moment(version.since),
        runs=version.runs,
        successes=version.successes,
        incomplete=version.incomplete_runs,
        rate=version.success_rate,
        interval=version.interval,
        cost_per_success=version.cost_per_success_usd,
        came_by=version.came_by,
        why=version.why,
        who=version.who,
        proof=proof_words(version.proof) if version.came_by == "applied" else "",
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, 60) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} …"
