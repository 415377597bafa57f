"""Tables, panels with tables, the tree and the timeline, driven by keys and clicks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence, QPainter, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from honeyguide.desktop.models.cells import CELL_ROLE, Cell
from honeyguide.desktop.models.columns import ColumnState
from honeyguide.desktop.models.evidence import EvidenceRow
from honeyguide.desktop.models.export import Format
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.models.versions import VersionRow
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.cell_delegate import CellDelegate
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.evidence_panel import EvidencePanel
from honeyguide.desktop.widgets.journal_list import JournalList
from honeyguide.desktop.widgets.lineage_tree import LineageTree
from honeyguide.desktop.widgets.version_timeline import VersionTimeline
from tests.desktop.gallery import NOW, candidate_rows, evidence_rows, journal, run_rows, version_rows
from tests.desktop.samples import HOSTILE, diff_rows

CLICK = Qt.MouseButton.LeftButton


@pytest.fixture
def table(shown) -> DataTable:
    model = RunTableModel(now=lambda: NOW)
    made = DataTable("runs", "Runs", model)
    model.setParent(made)
    model.set_rows(run_rows(60))
    shown(made, 1000, 400)
    made.setFocus()
    return made


def header_click(table: DataTable, qtbot, name: str) -> None:
    number = next(n for n, c in enumerate(table.model().columns) if c.id == name)
    header = table.horizontalHeader()
    x = header.sectionViewportPosition(number) + header.sectionSize(number) // 2
    qtbot.mouseClick(header.viewport(), CLICK, pos=QPoint(x, header.height() // 2))


class TestTable:
    def test_arrows_move_and_enter_opens(self, table, qtbot):
        table.select_key("run-00000")
        moved: list[str] = []
        table.current_changed.connect(moved.append)
        qtbot.keyClick(table, Qt.Key.Key_Down)
        with qtbot.waitSignal(table.row_activated, timeout=200) as opened:
            qtbot.keyClick(table, Qt.Key.Key_Return)
        assert moved == opened.args == ["run-00001"]

    def test_a_header_sorts_in_three_steps_numbers_downwards_first(self, table, qtbot):
        gains = lambda: [r.delta for r in table.model().shown_rows() if r.delta is not None]  # noqa: E731
        natural = gains()
        header_click(table, qtbot, "gain")
        assert gains() == sorted(natural, reverse=True)
        header_click(table, qtbot, "gain")
        assert gains() == sorted(natural)
        header_click(table, qtbot, "gain")
        assert gains() == natural

    def test_the_selection_survives_sorting(self, table, qtbot):
        table.select_key("run-00005")
        header_click(table, qtbot, "cost")
        assert table.selected_keys() == ["run-00005"]
        assert table.current_key() == "run-00005"

    def test_columns_are_chosen_and_come_back(self, table, qtbot):
        told: list[ColumnState] = []
        table.columns_changed.connect(told.append)
        menu = table.column_menu()
        actions = {action.objectName(): action for action in menu.actions()}
        assert not actions["column-outcome"].isEnabled(), "a fixed column cannot be hidden"
        actions["column-calls"].setChecked(True)
        actions["column-cost"].setChecked(False)
        table.horizontalHeader().moveSection(0, 3)
        header_click(table, qtbot, "age")
        state = told[-1]
        assert "cost" in state.hidden
        assert "calls" not in state.hidden
        assert state.sort == ("age", True)
        menu.close()
        other = DataTable("runs", "Runs", table.model())
        other.set_columns(ColumnState.from_json(state.to_json()))
        assert other.column_state().order == state.order
        assert other.column_state().hidden == state.hidden
        actions = {a.objectName(): a for a in other.column_menu().actions()}
        actions["columns-reset"].trigger()
        assert "cost" not in other.column_state().hidden
        other.deleteLater()

    def test_locked_columns_cannot_be_moved_or_sized_and_stay_locked(self, table, qtbot):
        told: list[ColumnState] = []
        table.columns_changed.connect(told.append)
        before = table.column_state()

        def drag(start: int, by: int) -> None:
            port, y = table.horizontalHeader().viewport(), table.horizontalHeader().height() // 2
            qtbot.mousePress(port, CLICK, pos=QPoint(start, y))
            qtbot.mouseMove(port, QPoint(start + by // 2, y))
            qtbot.mouseMove(port, QPoint(start + by, y))
            qtbot.mouseRelease(port, CLICK, pos=QPoint(start + by, y))

        def pull_the_edge_of_the_first_column(by: int) -> None:
            header = table.horizontalHeader()
            drag(header.sectionViewportPosition(header.logicalIndex(1)) - 1, by)

        lock = next(a for a in table.column_menu().actions() if a.objectName() == "columns-lock")
        lock.trigger()
        assert told[-1].locked
        pull_the_edge_of_the_first_column(40)
        drag(table.horizontalHeader().sectionViewportPosition(0) + 20, 300)
        after = table.column_state()
        assert (after.order, after.widths) == (before.order, before.widths)
        kept = ColumnState.from_json(told[-1].to_json())
        other = DataTable("runs", "Runs", table.model())
        other.set_columns(kept)
        assert other.column_state().locked and not other.horizontalHeader().sectionsMovable()
        other._reset_columns()
        assert other.column_state().locked, "the usual columns are locked as well"
        other.deleteLater()
        lock.trigger()
        pull_the_edge_of_the_first_column(40)
        assert table.column_state().widths != before.widths

    def test_rows_are_copied_and_exported_with_the_shown_columns(self, table, qtbot):
        table.selectAll()
        assert len(table.selected_keys()) == 60
        table.select_key("run-00000")
        qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
        assert QGuiApplication.clipboard().text().startswith("proposed\tcoder\tAdds one rule")
        one = table.export_text(Format.CSV, selected_only=True).splitlines()
        assert one[0] == "Outcome,Target,Change,Gain,Cost,Age"
        assert len(one) == 2
        assert len(table.export_text(Format.MARKDOWN).splitlines()) == 62

    def test_a_menu_is_asked_for_with_the_selected_rows(self, table, qtbot):
        table.select_key("run-00002")
        with qtbot.waitSignal(table.menu_wanted, timeout=200) as wanted:
            from PySide6.QtGui import QContextMenuEvent
            from PySide6.QtWidgets import QApplication

            event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5))
            QApplication.sendEvent(table.viewport(), event)
        assert wanted.args[1] == ["run-00002"]

    def test_a_row_that_is_not_shown_cannot_be_selected(self, table):
        table.model().search("nothing has this")
        assert not table.select_key("run-00001")
        assert table.selected_keys() == []

    def test_the_row_under_the_pointer_is_marked(self, table, qtbot):
        qtbot.mouseMove(table.viewport(), QPoint(100, 60))
        assert table.delegate.hovered == 2
        qtbot.mouseMove(table.viewport(), QPoint(100, 90))
        assert table.delegate.hovered == 3


class TestEvidence:
    def test_the_worst_is_chosen_and_both_its_answers_are_compared(self, shown):
        panel = EvidencePanel(diff_rows)
        panel.set_evidence(evidence_rows())
        shown(panel)
        row = panel.current()
        assert row is not None
        assert row.change == min(r.change for r in evidence_rows() if r.change is not None)
        assert len(panel.diff.view.hunks()) == 1
        said = [label.raw_text() for pair in panel._about._parts for label in pair if label.isVisible()]
        assert "Does not look the order up; asks the person to wait without a reason." in said

    def test_worse_only_and_search_narrow_the_table(self, shown, qtbot):
        panel = EvidencePanel(diff_rows)
        panel.set_evidence(evidence_rows())
        shown(panel)
        panel.set_worse_only(True)
        assert {row.verdict for row in panel.model.shown_rows()} == {"worse"}
        assert panel.chips.findChild(Button, "chip-worse").isChecked()
        panel.set_worse_only(False)
        panel.search.set_search("order 4013")
        assert [row.example_id for row in panel.model.shown_rows()] == ["example-13"]

    def test_the_trace_is_one_press_away(self, shown, qtbot):
        panel = EvidencePanel(diff_rows)
        panel.set_evidence(evidence_rows())
        shown(panel)
        with qtbot.waitSignal(panel.trace_requested, timeout=200) as asked:
            qtbot.mouseClick(panel.findChild(Button, "evidence-trace"), CLICK)
        assert asked.args == [panel.current().trace_id]

    def test_a_comparison_that_comes_late_is_dropped(self, shown, qtbot):
        panel = EvidencePanel()
        wanted: list[tuple[str, str, str]] = []
        panel.diff_wanted.connect(lambda *args: wanted.append(args))
        panel.set_evidence([EvidenceRow("a", "1", before="x\n", after="y\n"), EvidenceRow("b", "2")])
        shown(panel)
        assert wanted[0] == ("a", "x\n", "y\n")
        panel.table.select_key("b")
        qtbot.waitUntil(lambda: wanted[-1][0] == "b", timeout=1000)
        assert not panel.show_diff("a", diff_rows("x\n", "y\n"))
        assert panel.show_diff("b", diff_rows("p\n", "q\n"))

    def test_quick_moves_compare_only_where_they_rest(self, shown, qtbot):
        compared: list[str] = []

        def differ(before: str, after: str):
            compared.append(before)
            return diff_rows(before, after)

        panel = EvidencePanel(differ)
        panel.set_evidence([EvidenceRow(str(n), str(n), before=f"{n}\n") for n in range(10)])
        shown(panel)
        compared.clear()
        for _ in range(6):
            qtbot.keyClick(panel.table, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: compared == ["6\n"], timeout=1000)


class TestLineage:
    def test_the_winner_is_chosen_and_its_line_is_open(self, shown):
        tree = LineageTree()
        tree.set_candidates(candidate_rows(40))
        shown(tree)
        winner = next(row.id for row in candidate_rows(40) if row.is_winner)
        assert tree.chosen() == winner
        parent = tree.model.index_of(winner).parent()
        while parent.isValid():
            assert tree.tree.isExpanded(parent)
            parent = parent.parent()

    def test_choosing_and_opening_are_told(self, shown, qtbot):
        tree = LineageTree()
        tree.set_candidates(candidate_rows(10))
        shown(tree)
        chosen: list[str] = []
        tree.candidate_chosen.connect(chosen.append)
        assert tree.choose("g0-baseline")
        assert not tree.choose("nobody")
        tree.tree.setFocus()
        with qtbot.waitSignal(tree.candidate_activated, timeout=500) as opened:
            qtbot.keyClick(tree.tree, Qt.Key.Key_Return)
        assert chosen == opened.args == ["g0-baseline"]

    def test_ten_thousand_candidates_are_a_tree_too(self, shown):
        tree = LineageTree()
        tree.set_candidates(candidate_rows(10_000))
        shown(tree)
        assert tree.chosen()


class TestJournal:
    def test_a_reply_is_shown_only_when_asked_for_and_still_wanted(self, shown, qtbot):
        view: JournalList = journal()
        shown(view)
        view.table.setCurrentIndex(view.model.index(3, 0))
        assert view._reply.toPlainText() == ""
        with qtbot.waitSignal(view.reply_requested, timeout=200) as asked:
            qtbot.mouseClick(view.findChild(Button, "journal-show-reply"), CLICK)
        assert asked.args == [4]
        view.show_reply(9, "another call")
        assert "another" not in view._reply.toPlainText()
        view.show_reply(4, HOSTILE)
        assert view._reply.toPlainText().startswith("<b>not bold</b>")


class TestTimeline:
    @pytest.fixture
    def timeline(self, shown) -> VersionTimeline:
        made = VersionTimeline(now=NOW)
        made.set_versions(version_rows())
        return shown(made, 520, 420)

    def test_the_live_version_is_chosen_and_cannot_be_restored(self, timeline):
        assert timeline.chosen() == [4]
        assert not timeline.restore.isEnabled()
        assert "live already" in timeline.restore.toolTip()

    def test_one_version_is_compared_with_the_live_one_and_restored(self, timeline, qtbot):
        timeline.list.setCurrentIndex(timeline.model.index_of(2))
        with qtbot.waitSignal(timeline.compare_requested, timeout=200) as compared:
            qtbot.mouseClick(timeline.compare, CLICK)
        assert compared.args == [2, 4]
        with qtbot.waitSignal(timeline.restore_requested, timeout=200) as restored:
            qtbot.mouseClick(timeline.restore, CLICK)
        assert restored.args == [2]

    def test_two_chosen_versions_are_compared_with_each_other(self, timeline, qtbot):
        timeline.list.setFocus()
        timeline.list.setCurrentIndex(timeline.model.index_of(3))
        qtbot.keyClick(timeline.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        with qtbot.waitSignal(timeline.compare_requested, timeout=200) as compared:
            qtbot.keyClick(timeline.list, Qt.Key.Key_Return)
        assert compared.args == [2, 3]
        assert not timeline.restore.isEnabled()

    def test_a_new_version_keeps_the_chosen_one(self, timeline):
        timeline.list.setCurrentIndex(timeline.model.index_of(2))
        timeline.set_versions([*version_rows(), VersionRow(5, NOW + timedelta(minutes=1), "found")])
        assert timeline.chosen() == [2]


@pytest.mark.parametrize("text", ["−6 pts", "+18 pts, not proven", "1 h"])
def test_a_number_reads_the_same_from_right_to_left(qtbot: Any, text: str) -> None:
    host = QWidget()
    qtbot.addWidget(host)

    def drawn(direction: Qt.LayoutDirection, *, right: bool) -> QImage:
        model = QStandardItemModel(1, 1)
        model.setData(model.index(0, 0), Cell(text, right=right), CELL_ROLE)
        image = QImage(260, 30, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        option = QStyleOptionViewItem()
        option.rect = image.rect()
        option.direction = direction
        delegate = CellDelegate(host, draws_rows=False)
        painter = QPainter(image)
        delegate.paint(painter, option, model.index(0, 0))
        painter.end()
        return image

    at_the_left = drawn(Qt.LayoutDirection.LeftToRight, right=False)
    assert drawn(Qt.LayoutDirection.RightToLeft, right=True) == at_the_left
