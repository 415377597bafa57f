"""Every widget with data to look at: usual, empty, long and hostile. Tests show all of it; run it to get pictures.

``python -m tests.desktop.gallery FOLDER`` writes one picture for each entry, in light and dark; set
``QT_SCALE_FACTOR=2`` for twice the pixels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from honeyguide.desktop.models.calls import CallRow
from honeyguide.desktop.models.candidates import Candidate
from honeyguide.desktop.models.evidence import EvidenceRow
from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.models.traces import TraceRow, TraceTableModel
from honeyguide.desktop.models.versions import VersionRow
from honeyguide.desktop.theme import Metrics, Scheme, apply_theme, derive
from honeyguide.desktop.widgets.bars import IntervalBar, LimitsBar, WinsBar
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.charts import BestSoFarChart, ParetoChart, ProgressPoint, SpendChart
from honeyguide.desktop.widgets.chips import FilterChip, FilterChips, OutcomeBadge, StatusChips
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.decision_bar import DecisionBar, DecisionState
from honeyguide.desktop.widgets.diff import DiffPanel, Layout, Side, TextMark
from honeyguide.desktop.widgets.evidence_panel import EvidencePanel
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.hint_bar import HintBar, KeyHints, Severity
from honeyguide.desktop.widgets.journal_list import JournalList
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel
from honeyguide.desktop.widgets.lineage_tree import LineageTree
from honeyguide.desktop.widgets.schema_diff import SchemaDiffTable
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.spend_meter import SpendMeter
from honeyguide.desktop.widgets.states import StateAction, StateView
from honeyguide.desktop.widgets.version_timeline import VersionTimeline
from honeyguide.kernel.choice import unit
from tests.desktop.samples import AFTER, BEFORE, HOSTILE, HOSTILE_AFTER, diff_rows

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
STATES = ("proposed", "running", "deployed", "skipped-delta", "rejected", "failed", "skipped-gates", "aborted")
OUTCOMES = ("verified_improvement", "regression_safe", "inconclusive", "rejected", "capability_rejected")


def run_rows(count: int = 40) -> list[RunRow]:
    """Return runs of every state and outcome."""
    kinds = ("persona-system-prompt", "behavioral-spec-section", "skill-body", "instruction-file", "tool-description")
    rows = []
    for n in range(count):
        state = STATES[n % len(STATES)]
        outcome = OUTCOMES[n % len(OUTCOMES)] if state in {"proposed", "deployed", "failed", "rejected"} else None
        delta = unit(1, "delta", n) * 0.3 - 0.08 if outcome else None
        rows.append(
            RunRow(
                f"run-{n:05}",
                state,
                kinds[n % len(kinds)],
                ("coder", "qualityRules", "release-notes", "AGENTS.md", "search_orders")[n % 5],
                NOW - timedelta(minutes=7 * n * n + n),
                outcome,
                ("Adds one rule and drops two sentences; 12 % shorter.", "Rewords three rules; same length.")[n % 2]
                if outcome
                else "",
                delta,
                None if delta is None else (delta - 0.05, delta + 0.05),
                {"skipped-gates": "fail"}.get(state, "pass" if outcome else ""),
                "growth" if state == "skipped-gates" else "",
                None if n % 7 == 3 else unit(1, "cost", n) * 0.9,
                60 + n,
                unit(1, "progress", n) if state == "running" else None,
                "Measuring 41 of 60 cases" if state == "running" else "",
                "practice",
            )
        )
    return rows


def evidence_rows(count: int = 24) -> list[EvidenceRow]:
    """Return examples of every verdict."""
    rows = []
    for n in range(count):
        change = round(unit(2, "change", n) * 0.6 - 0.2, 2) if n % 3 else 0.0
        unscored = n % 11 == 5
        verdict = "unscored" if unscored else "better" if change > 0 else "worse" if change < 0 else "same"
        rows.append(
            EvidenceRow(
                f"example-{n}",
                f"My order {4000 + n} has not arrived. What can I do now, and when will somebody answer?",
                "Says that the order is looked up, and asks for the number only when it is missing.",
                "rubric",
                "I am sorry to hear that!\nPlease wait a few more days.\nIs there anything else?",
                "I am looking up your order now.\nIt left our warehouse on Monday.\nYou will have it by Friday.",
                None if unscored else 0.5,
                None if unscored else 0.5 + change,
                verdict,
                "Does not look the order up; asks the person to wait without a reason.",
                "Looks the order up and says when it comes. Could name the carrier.",
                n,
                "orders",
            )
        )
    return rows


def candidate_rows(count: int = 60) -> list[Candidate]:
    """Return a family of candidates with a baseline and a winner."""
    strategies = ("tighten-format", "reduce-length", "clarify-constraints", "expand-edge-cases")
    rows = [
        Candidate("g0-baseline", None, "baseline", 0, {"overall": 0.58, "correctness": 0.6}, 3, 2400, BEFORE,
                  is_baseline=True, calls=40)
    ]  # fmt: skip
    for n in range(1, count):
        score = 0.5 + 0.35 * unit(3, "score", n) * (0.4 + 0.6 * n / count)
        rows.append(
            Candidate(
                f"g{1 + n // 8}-m{n % 8}",
                rows[int(unit(3, "parent", n) * max(1, n // 2))].id,
                strategies[n % 4],
                1 + n // 8,
                {} if n % 17 == 4 else {"overall": score, "correctness": min(1, score + 0.05)},
                3,
                int(1500 + 1800 * unit(3, "chars", n)),
                AFTER,
                feedback="Answers guess the interface instead of reading it.",
                refused="Growth: 31 % longer, at most 20 % is allowed." if n % 17 == 4 else "",
                calls=40 + n * 12,
            )
        )
    best = max(range(len(rows)), key=lambda at: rows[at].overall or 0)
    rows[best] = Candidate(**{**{f: getattr(rows[best], f) for f in rows[best].__dataclass_fields__},
                              "is_winner": True})  # fmt: skip
    return rows


def gate_rows() -> list[GateRow]:
    """Return checks of every verdict."""
    return [
        GateRow("non-empty", "pass", "The text is not empty."),
        GateRow("size", "pass", "2,310 of at most 3,000 characters."),
        GateRow("growth", "fail", "31 % longer than now; at most 20 % is allowed.", (0, 40)),
        GateRow("variables", "warn", "{{name}} stands twice now.", (10, 18)),
        GateRow("regression", "skipped", "Not asked after the first failure."),
        GateRow("receipt", "pass", "Every hash still matches.", group="Receipt", words="Receipt"),
    ]


def version_rows() -> list[VersionRow]:
    """Return a history."""
    return [
        VersionRow(1, NOW - timedelta(days=40), "found", "a" * 64, "ada", "command line", "before the first run",
                   chars=2400),
        VersionRow(2, NOW - timedelta(days=20), "accepted", "b" * 64, "ada", "window", "shorter, same answers", "run-2",
                   "verified_improvement", 0.14, (0.09, 0.19), 0.31, 2310),
        VersionRow(3, NOW - timedelta(days=3), "edited-outside", "c" * 64, chars=2322),
        VersionRow(4, NOW - timedelta(hours=2), "restored", "b" * 64, "ada", "window", restored_from=2, current=True,
                   chars=2310),
    ]  # fmt: skip


def diff_panel(*, layout: Layout = Layout.AUTO, editing: bool = False, hostile: bool = False) -> QWidget:
    panel = DiffPanel()
    before, after = (HOSTILE, HOSTILE_AFTER) if hostile else (BEFORE, AFTER)
    marks = []
    if not hostile:
        lock, gate = after.index("Never guess"), after.index("Never run")
        marks = [
            TextMark("lock", Side.AFTER, lock, lock + 24, "Locked by a person."),
            TextMark("gate", Side.AFTER, gate, gate + 9, "Variables kept: {{name}} is missing."),
        ]
    panel.set_rows(diff_rows(before, after), marks)
    panel.set_checkable(True)
    panel.set_editable(True)
    panel.view.set_layout(layout)
    if not hostile:
        panel.view.set_included({1, 3, 4})
    if editing:
        panel.begin_edit()
    return panel


def run_table(rows: list[RunRow]) -> QWidget:
    model = RunTableModel(now=lambda: NOW)
    table = DataTable("run-table", "Runs", model)
    model.setParent(table)
    model.set_rows(rows)
    if rows:
        table.select_key(rows[0].uuid)
    return table


def trace_table() -> QWidget:
    model = TraceTableModel(now=lambda: NOW)
    table = DataTable("trace-table", "Traces", model)
    model.setParent(table)
    rows = [
        TraceRow(n, NOW - timedelta(hours=n), ("success", "corrected", "pending")[n % 3], "claude-code",
                 HOSTILE if n == 3 else f"Please explain step {n} again.", "", "coder", "practice", f"c{n // 3}", n % 5,
                 None if n % 4 else 0.01 * n, 3.5 * n, never_send=n == 2)
        for n in range(12)
    ]  # fmt: skip
    model.reset(400, rows)
    model.set_page(0, rows, model.generation)
    return table


def evidence() -> QWidget:
    panel = EvidencePanel(diff_rows)
    panel.set_evidence(evidence_rows())
    return panel


def hostile_evidence() -> QWidget:
    panel = EvidencePanel(diff_rows)
    panel.set_evidence(
        [
            EvidenceRow(
                "x", HOSTILE, HOSTILE, "reference", HOSTILE, HOSTILE_AFTER, 0.2, 0.1, "worse", HOSTILE, HOSTILE
            ),
            EvidenceRow("long", "x" * 1_000_000, "y" * 100_000, "reference", "a " * 20_000, "b " * 20_000, None, None),
        ]
    )
    return panel


def empty_evidence() -> QWidget:
    return EvidencePanel(diff_rows)


def charts() -> list[tuple[str, Callable[[], QWidget]]]:
    def pareto() -> QWidget:
        chart = ParetoChart()
        chart.set_candidates(candidate_rows(200))
        chart.make_ready()
        return chart

    def best() -> QWidget:
        chart = BestSoFarChart()
        chart.set_points(
            ProgressPoint(c.generation, c.calls or 0, c.overall, 0.001 * (c.calls or 0))
            for c in candidate_rows(60) if c.overall is not None
        )  # fmt: skip
        chart.set_baseline(0.58, 0.03)
        chart.make_ready()
        return chart

    def spend() -> QWidget:
        chart = SpendChart()
        chart.set_points((10 * n, 0.004 * n) for n in range(60))
        chart.set_ceiling(0.5, 800)
        chart.make_ready()
        return chart

    return [("chart-pareto", pareto), ("chart-best", best), ("chart-spend", spend), ("chart-empty", ParetoChart)]


def lineage() -> QWidget:
    tree = LineageTree()
    tree.set_candidates(candidate_rows(24))
    return tree


def journal() -> QWidget:
    view = JournalList()
    rows = [
        CallRow(n, NOW, "Answer example 12 with the candidate g2-m1", "practice", ("ok", "replayed", "failed")[n % 3],
                1200 + n, 300, 0.002 * n, 1.5, "The server did not answer within 60 s." if n % 3 == 2 else "")
        for n in range(1, 15)
    ]  # fmt: skip
    view.model.reset(len(rows), rows)
    view.set_sums(14, 5, 0.21, 18_000, 4_200)
    view.table.setCurrentIndex(view.model.index(1, 0))
    view.show_reply(2, HOSTILE)
    return view


def timeline() -> QWidget:
    view = VersionTimeline(now=NOW)
    view.set_versions(version_rows())
    return view


def schema() -> QWidget:
    table = SchemaDiffTable()
    before = {"fields": [{"name": "reasoning", "type": "string", "required": False, "description": "Why."},
                         {"name": "mood", "type": "enum", "constraints": [{"kind": "enum", "value": ["a", "b"]}]},
                         {"name": "answer", "type": "string", "description": "The answer."}]}  # fmt: skip
    after = {"fields": [{"name": "answer", "type": "string", "description": "The answer, in one paragraph."},
                        {"name": "reasoning", "type": "string", "required": False, "description": "Why."},
                        {"name": "sources", "type": "array", "description": "Where it was read.", "constraints": [
                            {"kind": "maxLength", "value": 5}]}]}  # fmt: skip
    table.set_schemas(before, after)
    return table


def gates() -> QWidget:
    view = GateList()
    view.set_gates(gate_rows())
    return view


def _column(*widgets: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(*[Metrics.MARGIN] * 4)
    column.setSpacing(Metrics.GAP_2)
    for widget in widgets:
        column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft if isinstance(widget, OutcomeBadge | Button)
                         else Qt.AlignmentFlag(0))  # fmt: skip
    column.addStretch(1)
    return page


def small_things() -> QWidget:
    badges = [OutcomeBadge() for _ in OUTCOMES]
    for badge, outcome in zip(badges, OUTCOMES, strict=True):
        badge.set_outcome(outcome)
    wins = WinsBar()
    wins.set_counts(14, 23, 3, 2)
    interval, worse = IntervalBar(), IntervalBar()
    interval.set_gain(0.14, (0.09, 0.19), 0.03)
    worse.set_gain(-0.04, (-0.12, 0.03), 0.03)
    limits = [LimitsBar() for _ in range(4)]
    limits[0].set_limit("Persona", 2310, 3000, "characters")
    limits[1].set_limit("Skill description", 980, 1024, "characters")
    limits[2].set_limit("Listing of all skills, with a long name that has to give way somewhere", 9200, 8000, "bytes")
    limits[3].set_limit("Body", 15200, None, "characters")
    spend, free = SpendMeter(), SpendMeter()
    spend.set_spend(412, 0.31, max_calls=800, max_usd=1.0, replayed=12)
    free.set_spend(60, None, max_calls=120)
    return _column(*badges, wins, interval, worse, *limits, spend, free)


def chips_and_bars() -> QWidget:
    chips = StatusChips()
    chips.set_states(STATES)
    chips.set_counts({"proposed": 3, "running": 1, "deployed": 12, "skipped-delta": 5, "rejected": 40_321})
    chips.select({"proposed"})
    filters = FilterChips()
    filters.set_filters([FilterChip("kind", "kind: persona"), FilterChip("text", "text: <b>x</b>" + "y" * 80)])
    bars = [
        HintBar("3 proposals wait for you.", Severity.INFO, action="Show them"),
        HintBar("Accepted and deployed.", Severity.GOOD, action="Roll back"),
        HintBar("The live text was changed by another program. " * 3, Severity.WARN, action="Compare"),
        HintBar("The deploy broke off: the disk is full.", Severity.BAD, closable=False),
    ]
    keys = KeyHints()
    keys.set_hints(
        [("N", "next change"), ("P", "previous"), ("Space", "tick"), ("A", "accept"), ("Ctrl+K", "find an action")]
    )
    buttons = [
        Button("Accept & deploy…".replace("&", "&&"), "b1", look=Look.PRIMARY),
        Button("Reject…", "b2"),
        Button("Open the trace", "b3", look=Look.LINK, icon="open"),
        Button("Off", "b4"),
    ]
    buttons[3].set_allowed(False, "Because.")
    search = SearchField("s", "Search runs")
    return _column(
        chips, filters, *bars, keys, *buttons, search, ElidedLabel(HOSTILE), PlainLabel("<b>plain</b> &amp;")
    )


def decisions() -> QWidget:
    bars = []
    for state in DecisionState:
        bar = DecisionBar()
        bar.set_state(state, {"deployed": "Deployed 2 h ago; agents load it now.", "failed": "The disk was full.",
                              "closed": "Rejected 3 d ago: too long."}.get(state.value, ""))  # fmt: skip
        bars.append(bar)
    off = DecisionBar()
    off.set_state(DecisionState.PROPOSED)
    off.set_accept(True, needs_note=True)
    return _column(*bars, off)


def states() -> list[tuple[str, Callable[[], QWidget]]]:
    def empty() -> QWidget:
        view = StateView()
        view.show_empty("No run yet", "What is tried and what a person decides will stand here. Start with the sample: "
                        "it takes a minute and costs nothing.", [StateAction("new", "New run…", "plus")])  # fmt: skip
        return view

    def loading() -> QWidget:
        view = StateView()
        view.show_loading("Reading 12,480 traces", "This takes about a minute.", share=0.62, can_stop=True)
        return view

    def error() -> QWidget:
        view = StateView()
        view.show_error("The workspace could not be opened.", "It was made by a newer version; update Honeyguide.",
                        details="schema 12 > 9\n" + HOSTILE,
                        actions=[StateAction("retry", "Try again", "retry")])  # fmt: skip
        return view

    return [("state-empty", empty), ("state-loading", loading), ("state-error", error)]


def entries() -> list[tuple[str, Callable[[], QWidget], tuple[int, int]]]:
    """Return name, maker and size of everything there is to look at."""
    big, wide, small = (1040, 620), (1040, 420), (640, 360)
    return [
        ("diff", diff_panel, big),
        ("diff-narrow", diff_panel, (600, 520)),
        ("diff-inline", lambda: diff_panel(layout=Layout.INLINE), big),
        ("diff-hostile", lambda: diff_panel(hostile=True), big),
        ("diff-editing", lambda: diff_panel(editing=True), big),
        ("diff-empty", DiffPanel, wide),
        ("runs", lambda: run_table(run_rows()), wide),
        ("runs-narrow", lambda: run_table(run_rows()), (640, 420)),
        ("runs-empty", lambda: run_table([]), wide),
        ("traces", trace_table, wide),
        ("evidence", evidence, big),
        ("evidence-hostile", hostile_evidence, big),
        ("evidence-empty", empty_evidence, wide),
        ("lineage", lineage, big),
        ("journal", journal, big),
        ("timeline", timeline, (520, 420)),
        ("schema", schema, wide),
        ("gates", gates, wide),
        ("gates-empty", GateList, small),
        ("small", small_things, (560, 700)),
        ("chips", chips_and_bars, (760, 720)),
        ("decisions", decisions, (960, 620)),
        *((name, make, small) for name, make in states()),
        *((name, make, (760, 420)) for name, make in charts()),
    ]


def main(folder: Path) -> int:
    """Write every picture."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = os.environ.get("ONLY", "").split(",")
    for scheme in Scheme:
        apply_theme(app, derive(scheme))
        for name, make, size in entries():
            if wanted != [""] and not any(name.startswith(w) for w in wanted):
                continue
            widget = make()
            if os.environ.get("RTL"):
                widget.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            widget.resize(*size)
            widget.show()
            for _ in range(6):
                app.processEvents()
            widget.grab().save(str(folder / f"{name}-{scheme.value}.png"))
            widget.close()
            widget.deleteLater()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.exit(main(Path(sys.argv[1])))
