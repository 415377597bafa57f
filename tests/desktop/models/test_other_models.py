from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from honeyguide.desktop.models.calls import CallRow, CallTableModel
from honeyguide.desktop.models.candidates import Candidate, CandidateModel
from honeyguide.desktop.models.cells import CELL_ROLE, KEY_ROLE
from honeyguide.desktop.models.columns import Column, ColumnState
from honeyguide.desktop.models.evidence import EvidenceModel, EvidenceRow
from honeyguide.desktop.models.paged import KEPT_PAGES, PAGE
from honeyguide.desktop.models.traces import TraceRow, TraceTableModel
from honeyguide.desktop.models.versions import VersionModel, VersionRow
from honeyguide.desktop.models.watch import WatchLine, WatchModel, watch_line
from honeyguide.desktop.theme import Role

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def trace(n: int) -> TraceRow:
    return TraceRow(n, NOW - timedelta(minutes=n), "success", preview=f"question {n}")


class TestPaged:
    def test_rows_on_their_way_are_asked_for_by_page_and_filled_in(self, qtbot):
        model = TraceTableModel(now=lambda: NOW)
        tester = QAbstractItemModelTester(model, FATAL)
        generation = model.reset(1000, [trace(n) for n in range(PAGE)])
        assert model.index(3, 1).data() == "question 3"
        with qtbot.waitSignal(model.page_wanted, timeout=1000) as wanted:
            assert model.index(PAGE + 5, 1).data(CELL_ROLE).text == "…"
        assert wanted.args == [PAGE, PAGE, generation]
        assert model.set_page(PAGE, [trace(n) for n in range(PAGE, 2 * PAGE)], generation)
        assert model.index(PAGE + 5, 1).data() == f"question {PAGE + 5}"
        assert model.index_of(PAGE + 5).row() == PAGE + 5
        assert tester.model() is model

    def test_a_page_of_an_older_question_is_dropped(self, qapp):
        model = TraceTableModel()
        old = model.reset(500)
        new = model.reset(300)
        assert not model.set_page(0, [trace(0)], old)
        assert model.row_at(0) is None
        assert model.set_page(0, [trace(n) for n in range(PAGE)], new)

    def test_only_the_last_pages_are_kept(self, qapp):
        model = TraceTableModel()
        generation = model.reset(100_000)
        for number in range(KEPT_PAGES + 3):
            model.set_page(number * PAGE, [trace(number * PAGE + n) for n in range(PAGE)], generation)
        assert len(model.known_rows()) == KEPT_PAGES * PAGE
        assert model.row_at(0) is None

    def test_a_page_that_failed_is_asked_for_again(self, qtbot):
        model = TraceTableModel()
        generation = model.reset(10)
        with qtbot.waitSignal(model.page_wanted, timeout=1000):
            model.index(0, 0).data(CELL_ROLE)
        model.fail_page(0, generation)
        with qtbot.waitSignal(model.page_wanted, timeout=1000):
            model.index(0, 0).data(CELL_ROLE)

    def test_an_order_is_asked_for(self, qtbot):
        model = TraceTableModel()
        with qtbot.waitSignal(model.order_wanted, timeout=100) as wanted:
            model.sort(9, Qt.SortOrder.DescendingOrder)
        assert wanted.args == ["age", True]

    def test_known_rows_are_exported_raw(self, qapp):
        model = CallTableModel()
        model.reset(1, [CallRow(1, NOW, "judge", usd=0.5, input_tokens=7)])
        assert model.export_values(None, ["n", "usd", "input", "at"]) == [[1, 0.5, 7, NOW.isoformat()]]
        assert model.export_values([2], ["n"]) == []

    @pytest.mark.parametrize(
        ("row", "words"),
        [
            (CallRow(1, None, "x", status="failed", error="no answer"), "failed"),
            (CallRow(1, None, "x", status="replayed"), "replayed"),
            (CallRow(1, None, "x"), "answered"),
        ],
    )
    def test_a_call_says_what_became_of_it(self, qapp, row, words):
        model = CallTableModel()
        model.reset(1, [row])
        assert model.index(0, 2).data() == words


class TestEvidence:
    ROWS = (
        EvidenceRow("a", "first", score_before=0.5, score_after=0.9, verdict="better"),
        EvidenceRow("b", "second", score_before=0.5, score_after=0.2, verdict="worse"),
        EvidenceRow("c", "third", score_before=0.5, score_after=None, verdict="unscored"),
        EvidenceRow("d", "fourth", score_before=0.5, score_after=0.5, verdict="same"),
    )

    def test_the_worst_change_stands_first_and_what_is_unscored_last(self, qapp):
        model = EvidenceModel()
        model.set_rows(self.ROWS)
        assert [model.row_at(at).example_id for at in range(4)] == ["b", "d", "a", "c"]
        assert model.counts() == {"better": 1, "worse": 1, "same": 1, "unscored": 1}

    def test_worse_only(self, qapp):
        model = EvidenceModel()
        model.set_rows(self.ROWS)
        model.set_verdicts({"worse"})
        assert [row.example_id for row in model.shown_rows()] == ["b"]
        model.set_verdicts(set())
        assert model.rowCount() == 4

    def test_a_change_is_told_in_points_and_unknown_is_not_nothing(self, qapp):
        model = EvidenceModel()
        model.set_rows(self.ROWS)
        assert model.index(0, 1).data() == "−30"
        assert model.index(3, 1).data() == "–"
        assert model.index(3, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "unknown"


class TestCandidates:
    FAMILY = (
        Candidate("g0", None, "baseline", scores={"overall": 0.5}, is_baseline=True),
        Candidate("g1", "g0", "reduce-length", 1, {"overall": 0.6}),
        Candidate("g2", "g1", "add-examples", 2, {"overall": 0.7}, is_winner=True),
        Candidate("g3", "g0", "tighten-format", 1, refused="Growth"),
        Candidate("lost", "nobody", "other", 1),
    )

    def test_children_stand_under_what_they_were_made_from(self, qapp):
        model = CandidateModel()
        model.set_candidates(self.FAMILY)
        tester = QAbstractItemModelTester(model, FATAL)
        root = model.index(0, 0)
        assert model.rowCount() == 2
        assert root.data(KEY_ROLE) == "g0"
        assert model.rowCount(root) == 2
        assert [row.id for row in model.line_of("g2")] == ["g0", "g1", "g2"]
        assert model.index_of("g2").parent().data(KEY_ROLE) == "g1"
        assert not model.index_of("x").isValid()
        assert tester.model() is model

    def test_scores_are_told_against_the_live_text(self, qapp):
        model = CandidateModel()
        model.set_candidates(self.FAMILY)
        winner = model.index_of("g2")
        assert winner.siblingAtColumn(2).data() == "+20 pts"
        assert winner.data() == "winner: add examples"
        assert model.index_of("g3").siblingAtColumn(1).data() == "unscored"

    @given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
    def test_any_parents_make_a_tree_in_which_everybody_stands_once(self, links):
        model = CandidateModel()
        rows = {str(child): Candidate(str(child), str(parent)) for child, parent in links}
        model.set_candidates(rows.values())
        seen: list[str] = []
        todo = [model.index(row, 0) for row in range(model.rowCount())]
        while todo:
            index = todo.pop()
            seen.append(index.data(KEY_ROLE))
            todo.extend(model.index(row, 0, index) for row in range(model.rowCount(index)))
        assert sorted(seen) == sorted(rows)


class TestVersions:
    def test_the_newest_stands_on_top_and_is_read_aloud(self, qapp):
        model = VersionModel()
        model.set_versions(
            [VersionRow(1, NOW, "found"), VersionRow(2, NOW, "accepted", delta=0.14, note="shorter", current=True)]
        )
        assert [row.n for row in model.versions()] == [2, 1]
        assert model.index(0, 0).data() == "Version 2, accepted proposal, live now, +14 pts, shorter"
        assert model.index_of(1).row() == 1
        assert model.version(9) is None
        assert not model.index_of(9).isValid()


class TestColumns:
    COLUMNS = (Column("a", "A", fixed=True), Column("b", "B"), Column("c", "C", shown=False))

    def test_a_state_survives_the_settings(self):
        state = ColumnState(("b", "a", "c"), frozenset({"c"}), {"a": 80}, ("b", True))
        assert ColumnState.from_json(state.to_json()) == state

    @pytest.mark.parametrize(
        "data", [None, [], "x", {"order": 3, "hidden": None, "widths": [], "sort": ["a"]}, {"sort": [1, 2]}]
    )
    def test_what_cannot_be_read_counts_as_not_chosen(self, data):
        assert ColumnState.from_json(data) == ColumnState()

    def test_a_state_of_an_older_version_fits_new_columns(self):
        old = ColumnState(("gone", "b"), frozenset({"gone", "a"}), {"gone": 9, "b": 70}, ("gone", False))
        fitted = old.fitted(self.COLUMNS)
        assert fitted.order == ("b", "a", "c")
        assert fitted.hidden == {"c"}, "a fixed column cannot be hidden, a new one is shown as it likes"
        assert fitted.widths == {"b": 70}
        assert fitted.sort is None


class TestWatch:
    SIDE: ClassVar[dict[str, Any]] = {"count": 12, "n": 48, "rate": 0.25, "interval": [0.15, 0.39]}
    NONE: ClassVar[dict[str, Any]] = {"count": 0, "n": 0, "rate": None, "interval": [0.0, 1.0]}

    def line(self, after: dict[str, Any], delta: float, interval: list[float]) -> WatchLine:
        data = {
            "n": 3,
            "deployed_at": "2026-03-01T09:00:00.000Z",
            "corrections": {"before": self.SIDE, "after": after, "delta": delta, "interval": interval},
            "failures": {"before": self.SIDE, "after": after},
        }
        return watch_line(data, "It helped.", False)

    def shown(self, line: WatchLine) -> list[str]:
        model = WatchModel()
        model.set_rows([line])
        return [model.cell(line, number).text for number in range(len(model.columns))]

    def test_both_sides_and_the_difference_with_its_interval(self):
        after = {"count": 3, "n": 60, "rate": 0.05, "interval": [0.02, 0.14]}
        line = self.line(after, -0.2, [-0.3, -0.1])
        texts = self.shown(line)
        assert texts[0] == "3" and texts[2] == "25 % → 5 %" and texts[3] == "−20 ±10 pts" and texts[5] == "It helped."
        assert WatchModel().cell(line, 3).role is Role.GOOD
        assert "12 of 48 sessions: 25 %, between 15 % and 39 %" in WatchModel().cell(line, 2).tip

    def test_nothing_is_told_of_a_side_without_sessions(self):
        texts = self.shown(self.line(self.NONE, -0.25, [-0.39, 0.85]))
        assert texts[2] == "25 % → –" and texts[3] == "–"
