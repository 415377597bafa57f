"""The parts of a review that read for themselves: evidence, charts, checks, journal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_save
from honeyguide.desktop.models.calls import CallRow
from honeyguide.desktop.models.candidates import Candidate
from honeyguide.desktop.pages.review_head import proof_sentence
from honeyguide.desktop.pages.run_curves import RunCurves
from honeyguide.desktop.rows import call_row, evidence_row, gate_rows
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme.outcomes import outcome_wording
from honeyguide.desktop.widgets.charts import BestSoFarChart, ChartFormat, ParetoChart, ProgressPoint, SpendChart
from honeyguide.desktop.widgets.evidence_panel import EvidencePanel
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.journal_list import JournalList
from honeyguide.desktop.widgets.labels import named

if TYPE_CHECKING:
    from honeyguide.workspace import AcceptCheck, EvidenceRow, Page, RunDetail
    from honeyguide.workspace import CallRow as StoredCall

JOURNAL_PAGE = 200
_CHART_HIGH = 168
"""Pixels below which a chart with its words cannot be read; a lower window scrolls."""


class EvidenceTab(QWidget):
    """The unseen cases of a run."""

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self.panel = EvidencePanel(_rows_between)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.panel)
        self.panel.trace_requested.connect(lambda trace: desk.go("traces", trace))
        self.panel.diff_wanted.connect(self._compare)

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the examples; a proxy would have Tab pass over everything else in here."""
        self.panel.table.setFocus(reason)

    def show_run(self, detail: RunDetail) -> None:
        """Read the cases of a run."""
        uuid, proof = detail.uuid, detail.verification
        self.panel.set_proof(proof_sentence(self, proof) if proof is not None else "")
        self.panel.stack.show_loading(self.tr("Reading the cases…"))

        def show(rows: Sequence[EvidenceRow]) -> None:
            self.panel.set_evidence([evidence_row(row) for row in rows])

        self._tasks.latest("evidence", lambda: self._desk.workspace.run_evidence(uuid), show)

    def lists(self) -> tuple[QWidget, ...]:
        """Return what single keys work on."""
        return (self.panel.table, self.panel.diff.view)

    def _compare(self, example: str, before: str, after: str) -> None:
        async def load() -> Any:
            return await asyncio.to_thread(_rows_between, before, after)

        self._tasks.latest("answers", load, lambda rows: self.panel.show_diff(example, rows))


class ChartsTab(QWidget):
    """What the search tried, the best so far, and what it cost.

    Signals:
        candidate_chosen(id): a point was pressed.
    """

    candidate_chosen = Signal(str)

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self.pareto = ParetoChart()
        self.best = BestSoFarChart()
        self.spend = SpendChart()
        right = QSplitter(Qt.Orientation.Vertical)
        right.setChildrenCollapsible(False)
        right.addWidget(self.best)
        right.addWidget(self.spend)
        splitter = named(QSplitter(Qt.Orientation.Horizontal), "charts-splitter", self.tr("Charts"))
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.pareto)
        splitter.addWidget(right)
        splitter.setSizes([600, 480])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        splitter.setMinimumHeight(2 * _CHART_HIGH)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(splitter)
        column.addWidget(area)
        self.pareto.candidate_chosen.connect(self.candidate_chosen)
        for chart in (self.pareto, self.best, self.spend):
            chart.export_wanted.connect(lambda form, chart=chart: self._export(chart, form))

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the first chart; a proxy would have Tab pass over everything else in here."""
        (self.pareto.plot or self.pareto).setFocus(reason)

    def show_run(self, detail: RunDetail, rows: Sequence[Candidate], curves: RunCurves) -> None:
        """Show the candidates of a run that ended."""
        instructions = [row for row in rows if row.stage != "schema"]
        self.pareto.set_candidates(instructions)
        proof = detail.verification or {}
        baseline = next((row.overall for row in instructions if row.is_baseline), None)
        self.best.set_baseline(baseline, proof.get("noise_floor"))
        self.best.set_points(
            ProgressPoint(row.generation, curves.first_call.get(row.id), row.overall, is_comparable=row.is_comparable)
            for row in instructions
            if row.overall is not None
        )
        options = detail.attempt.options
        self.spend.set_ceiling(options.get("max_usd"), options.get("max_calls"))
        self.spend.set_points(curves.spend or [(0, 0.0), (detail.attempt.calls, detail.attempt.cost_usd)])

    def _export(self, chart: Any, form: ChartFormat) -> None:
        async def work() -> None:
            name = f"{chart.objectName()}.{form.value}"
            path = await ask_save(self._desk.window, self.tr("Export the chart"), name, (form.value,))
            if path is not None:
                chart.save(form, path)
                self._desk.notify.info(self.tr("Exported to {path}.").format(path=path))

        self._tasks.start(work(), "export a chart")


class ChecksTab(QWidget):
    """The checks of the search, those made again for what would be deployed, and the receipt.

    Signals:
        place_requested(start, end)
    """

    place_requested = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.list = GateList()
        self.list.place_requested.connect(self.place_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the checks; a proxy would have Tab pass over everything else in here."""
        self.list.setFocus(reason)

    def show_run(self, detail: RunDetail, check: AcceptCheck | None) -> None:
        """Show what is known of a run."""
        stored = gate_rows(detail.to_json()["gateReasons"])
        rows = gate_rows(check.gates) if check is not None else stored
        known = {row.gate for row in rows}
        rows += [row for row in stored if row.gate not in known]
        rows += self._proof(detail)
        rows += self._receipt(detail)
        self.list.set_gates(rows)

    def failed_places(self) -> list[tuple[int, int, str]]:
        """Return where checks complain: start, end, words."""
        rows = [row for row in self.list.gates() if row.verdict == "fail" and row.where is not None]
        return [(row.where[0], row.where[1], f"{row.gate}: {row.reason}") for row in rows if row.where is not None]

    def _proof(self, detail: RunDetail) -> list[GateRow]:
        proof = detail.verification
        if proof is None:
            return []
        verdict = {"verified_improvement": "pass", "rejected": "fail", "capability_rejected": "fail"}
        return [
            GateRow(
                "verification",
                verdict.get(str(proof.get("outcome")), "warn"),
                proof_sentence(self, proof),
                None,
                self.tr("Proof: how it did on cases that the search never saw"),
                outcome_wording(str(proof.get("outcome"))).words,
            )
        ]

    def _receipt(self, detail: RunDetail) -> list[GateRow]:
        receipt = detail.receipt
        proof = detail.verification
        if receipt is None or proof is None:
            return []
        group = self.tr("Receipt: is the proof still about what is live?")
        words = self.tr("Proof and present state")
        if receipt["stale"]:
            return [GateRow("receipt", "warn", spoken(reason), None, group, words) for reason in receipt["reasons"]]
        digest = (proof.get("receipt") or {}).get("digest", "")
        said = self.tr("Nothing that decided it has changed. Digest {digest}.").format(digest=str(digest)[:16])
        return [GateRow("receipt", "pass", said, None, group, words)]


class JournalTab(QWidget):
    """The calls of a run, a page at a time."""

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self._uuid = ""
        self._replies: dict[int, str] = {}
        self.list = JournalList()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.list.model.page_wanted.connect(self._fetch)
        self.list.reply_requested.connect(self._show_reply)

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the calls; a proxy would have Tab pass over everything else in here."""
        self.list.table.setFocus(reason)

    def show_run(self, detail: RunDetail) -> None:
        """Read the calls of a run."""
        self._uuid = detail.uuid
        self._replies.clear()
        attempt = detail.attempt
        self.list.set_sums(
            attempt.calls,
            attempt.replayed_calls,
            attempt.cost_usd,
            attempt.input_tokens or 0,
            attempt.output_tokens or 0,
        )

        def show(page: Page[StoredCall]) -> None:
            self.list.model.reset(page.total, self._kept(page.items))

        self._tasks.latest("journal", lambda: self._page(0, JOURNAL_PAGE), show)

    def lists(self) -> tuple[QWidget, ...]:
        """Return what single keys work on."""
        return (self.list.table,)

    async def _page(self, offset: int, limit: int) -> Page[StoredCall]:
        return await self._desk.workspace.run_journal(self._uuid, limit=limit, offset=offset)

    def _fetch(self, offset: int, limit: int, generation: int) -> None:
        async def work() -> None:
            page = await self._page(offset, limit)
            self.list.model.set_page(offset, self._kept(page.items), generation)

        self._tasks.start(work(), "page of the journal")

    def _kept(self, calls: Sequence[StoredCall]) -> list[CallRow]:
        rows = []
        for call in calls:
            row = call_row(call)
            self._replies[row.n] = f"{call.request}\n\n──────── {call.model} ────────\n\n{call.reply}"
            rows.append(row)
        return rows

    def _show_reply(self, n: int) -> None:
        self.list.show_reply(n, self._replies.get(n, ""))


def _rows_between(before: str, after: str) -> Sequence[Any]:
    from honeyguide.workspace import diff_view

    return diff_view(before, after).rows
