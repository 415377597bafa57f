"""The diff view and its panel, driven by keys and clicks."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.widgets.diff import DiffLine, DiffPanel, DiffView, Layout, Side, TextMark
from honeyguide.desktop.widgets.diff.bands import Folded, Head, Piece
from honeyguide.desktop.widgets.diff.painter import check_box
from tests.desktop.samples import AFTER, BEFORE, HOSTILE, HOSTILE_AFTER, diff_rows


@pytest.fixture
def view(shown) -> DiffView:
    made = DiffView()
    made.set_checkable(True)
    made.set_rows(diff_rows(BEFORE, AFTER))
    shown(made, 1000, 500)
    made.setFocus()
    return made


@pytest.fixture
def panel(shown) -> DiffPanel:
    made = DiffPanel()
    made.set_rows(diff_rows(BEFORE, AFTER))
    made.set_checkable(True)
    made.set_editable(True)
    shown(made, 1000, 600)
    made.view.setFocus()
    return made


def band_at(view: DiffView, kind: type, number: int = 0) -> tuple[object, int, int]:
    """Return the number-th band of a kind in sight, with its top and height."""
    content = view._content
    found = [
        (content.bands[at], y, content.layouts.of(at).height)
        for at, y in view._scroll.visible()
        if isinstance(content.bands[at], kind)
    ]
    return found[number]


def test_keys_walk_the_changes_and_stop_at_the_ends(view, qtbot):
    places: list[tuple[int, int]] = []
    view.current_changed.connect(lambda place, total: places.append((place, total)))
    for key in (Qt.Key.Key_N, Qt.Key.Key_F7, Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P, Qt.Key.Key_F8):
        qtbot.keyClick(view, key)
    assert places == [(2, 4), (3, 4), (4, 4), (3, 4), (2, 4)]
    assert view.current_hunk() == 2


def test_the_current_change_comes_into_sight(view, qtbot):
    view.resize(1000, 200)
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_N)
    heads = [view._content.bands[at] for at, _ in view._scroll.visible() if isinstance(view._content.bands[at], Head)]
    assert Head(4) in heads


def test_space_and_a_click_on_the_box_tick(view, qtbot):
    ticked: list[frozenset[int]] = []
    view.ticked.connect(ticked.append)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.included() == {2, 3, 4}
    _, y, height = band_at(view, Head, 0)
    box = check_box(view._content.columns, y, height).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box)
    assert view.included() == {1, 2, 3, 4}
    assert ticked == [{2, 3, 4}, {1, 2, 3, 4}]


def test_a_click_beside_the_box_only_chooses_the_change(view, qtbot):
    _, y, height = band_at(view, Head, 1)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, y + height // 2))
    assert view.current_hunk() == 2
    assert view.included() == {1, 2, 3, 4}


def test_without_tick_boxes_space_does_not_tick(view, qtbot):
    view.set_checkable(False)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.included() == {1, 2, 3, 4}


def test_a_click_opens_a_fold_and_the_top_stays(view, qtbot):
    fold, y, height = band_at(view, Folded)
    before = len([b for b in view._content.bands if isinstance(b, Piece)])
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, y + height // 2))
    after = len([b for b in view._content.bands if isinstance(b, Piece)])
    assert after == before + (fold.end - fold.start)
    assert view.verticalScrollBar().value() == 0


@pytest.mark.parametrize(("width", "side_by_side"), [(1200, True), (600, False)])
def test_the_layout_follows_the_width_until_a_person_chooses(view, width, side_by_side):
    view.resize(width, 500)
    assert view.is_side_by_side is side_by_side
    view.set_layout(Layout.INLINE)
    assert not view.is_side_by_side
    view.set_layout(Layout.SIDE_BY_SIDE)
    assert view.is_side_by_side


def test_both_sides_of_a_row_share_its_height_and_scroll_as_one(view):
    for at, band in enumerate(view._content.bands):
        if isinstance(band, Piece):
            laid = view._content.layouts.of(at)
            assert laid.height >= max(text.height for text in laid.sides.values())
            assert set(laid.tops.values()) == {2}


def test_scrolling_up_and_down_over_estimated_heights_comes_back_to_the_same_place(shown):
    lines = [f"line {n} " + "word " * (n % 60) + "\n" for n in range(2000)]
    changed = [line.replace("word", "sword", 1) if n % 3 == 0 else line for n, line in enumerate(lines)]
    view = DiffView()
    view.set_folding(False)
    view.set_rows(diff_rows("".join(lines), "".join(changed)))
    shown(view, 900, 500)
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    view.grab()

    def top() -> tuple[object, int]:
        at, y = next(iter(view._scroll.visible()))
        return view._content.bands[at], y

    start = top()
    for by in (-300, 120, -700, 880):
        bar.setValue(bar.value() + by)
        view.grab()
    assert top() == start
    bar.setValue(bar.maximum())
    view.grab()
    at, y = list(view._scroll.visible())[-1]
    assert at == len(view._content.bands) - 1
    assert y + view._content.layouts.of(at).height <= view.viewport().height()


def test_the_wheel_scrolls(view):
    view.resize(1000, 200)
    point = QPointF(200, 100)
    QApplication.sendEvent(
        view.viewport(),
        QWheelEvent(
            point, view.viewport().mapToGlobal(point), QPoint(0, 0), QPoint(0, -240), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    assert view.verticalScrollBar().value() > 0


def test_a_change_or_a_selection_can_be_copied(view, qtbot):
    qtbot.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == "- Write code and a test that fails without it.\n"
    piece, y, _ = band_at(view, Piece)
    left = view.side_edges()[1]
    pos = QPoint(left + 12, y + 12)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pos)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pos)
    assert view.selected_text() == "You"
    view.copy()
    assert QGuiApplication.clipboard().text() == "You"
    assert piece.row == 0


def test_dragging_selects_across_lines(view, qtbot):
    left = view.side_edges()[1]
    _, first, _ = band_at(view, Piece, 0)
    _, last, _ = band_at(view, Piece, 2)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(left, first + 12))
    qtbot.mouseMove(view.viewport(), QPoint(left + 600, last + 12))
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton)
    assert view.selected_text().startswith("You are Coder, a careful pair programmer.\n\n## How")


def test_the_current_change_is_told_to_screen_readers(view, qtbot):
    qtbot.keyClick(view, Qt.Key.Key_N)
    assert view.accessibleName() == "Changes"
    assert view.accessibleDescription().startswith("Change 2 of 4.")
    assert "Thank the person." in view.accessibleDescription()


def test_a_place_of_a_check_is_shown_even_inside_a_fold(view):
    start = AFTER.index("Quote errors")
    assert view.go_to_place(Side.AFTER, start)
    rows = view._content.rows
    seen = [
        rows[band.row].after for at, _ in view._scroll.visible() if isinstance(band := view._content.bands[at], Piece)
    ]
    assert "- Quote errors word for word.\n" in seen


def test_marks_and_hidden_signs_are_explained_where_the_pointer_rests(shown):
    view = DiffView()
    rows = diff_rows("a\nkeep me\n", "a\u202eb\nkeep me\n")
    view.set_rows(rows, [TextMark("lock", Side.AFTER, 5, 9, "Locked: <b>why</b>")])
    shown(view, 1000, 300)
    from honeyguide.desktop.widgets.diff.pointing import said_at, target_at

    left = view.side_edges()[1]
    said = set()
    for at, y in view._scroll.visible():
        if isinstance(view._content.bands[at], Piece):
            for x in range(left, left + 120, 2):
                said.add(said_at(view._content, target_at(view._content, view._scroll.visible(), QPoint(x, y + 12))))
    assert any("right-to-left override" in words for words in said)
    assert "Locked: <b>why</b>" in said


@pytest.mark.parametrize("layout", [Layout.SIDE_BY_SIDE, Layout.INLINE])
@pytest.mark.parametrize("whitespace", [False, True])
def test_hostile_text_is_painted_as_text(shown, layout, whitespace):
    view = DiffView()
    view.set_layout(layout)
    view.set_whitespace(whitespace)
    view.set_rows(diff_rows(HOSTILE, HOSTILE_AFTER))
    shown(view, 900, 600)
    assert not view.grab().isNull()
    assert view.find_words("<script>") == 2


def test_a_line_of_a_megabyte_does_not_hold_up_the_window(shown):
    view = DiffView()
    shown(view, 1000, 600)
    before = "word " * 200_000
    rows = [DiffLine("changed", before, before + "end", 1, 1, (), ((len(before), len(before) + 3),), 1)]
    started = time.perf_counter()
    view.set_rows(rows)
    view.grab()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.grab()
    assert time.perf_counter() - started < 1.0
    view.go_to_place(Side.AFTER, len(before))
    assert view.find_words("end") == 1


class TestPanel:
    def test_the_stepper_says_where_one_is_and_stops_at_the_ends(self, panel, qtbot):
        assert not panel.bar.previous.isEnabled()
        for _ in range(3):
            qtbot.mouseClick(panel.bar.next, Qt.MouseButton.LeftButton)
        assert panel.view.current_hunk() == 4
        assert not panel.bar.next.isEnabled()
        assert "last change" in panel.bar.next.toolTip()

    def test_find_opens_with_its_key_counts_and_goes_round(self, panel, qtbot):
        qtbot.keySequence(panel.view, QKeySequence(QKeySequence.StandardKey.Find))
        assert panel.find_bar.isVisible()
        qtbot.keyClicks(panel.find_bar.field, "NEVER")
        qtbot.waitUntil(lambda: panel.find_bar._count.raw_text() == "1 of 2", timeout=1000)
        qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return)
        assert panel.find_bar._count.raw_text() == "2 of 2"
        qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert panel.find_bar._count.raw_text() == "1 of 2"
        panel.find_bar.close_bar()
        assert not panel.find_bar.isVisible()
        assert panel.view._finds.hits == []

    def test_all_can_be_left_out_and_taken_in_again(self, panel, qtbot):
        qtbot.mouseClick(panel.bar._ticked, Qt.MouseButton.LeftButton)
        assert panel.view.included() == frozenset()
        assert panel.bar._ticked.text() == "0 of 4 included, include all"
        qtbot.mouseClick(panel.bar._ticked, Qt.MouseButton.LeftButton)
        assert panel.view.included() == {1, 2, 3, 4}

    def test_the_list_reads_every_change_and_leads_to_it(self, panel, qtbot):
        panel.bar.read.setChecked(True)
        assert panel.reading.isVisible()
        assert panel.reading.count() == 4
        panel.reading.setCurrentRow(2)
        assert panel.view.current_hunk() == 3
        panel.view.set_included({1})
        assert "left out" in panel.reading.item(2).text()

    def test_an_edit_is_handed_over_whole_with_its_line_ends(self, shown, qtbot):
        panel = DiffPanel()
        panel.set_editable(True)
        panel.set_rows(diff_rows("one\r\ntwo\r\n", "one\r\nTWO\r\n"))
        shown(panel)
        typed: list[str] = []
        panel.edit_typed.connect(typed.append)
        qtbot.mouseClick(panel.bar.edit, Qt.MouseButton.LeftButton)
        assert panel.is_editing
        assert not panel.bar.isEnabled()
        qtbot.keyClicks(panel.editor.editor, "and ")
        qtbot.waitUntil(lambda: typed == ["one\r\nand TWO\r\n"], timeout=1000)
        with qtbot.waitSignal(panel.edit_finished, timeout=500) as done:
            qtbot.mouseClick(panel.editor.done, Qt.MouseButton.LeftButton)
        assert done.args == ["one\r\nand TWO\r\n"]
        assert not panel.is_editing

    def test_an_edit_that_changes_nothing_gives_back_every_byte(self, panel):
        panel.set_rows(diff_rows("a\rb\r\nc\n", "a\rb\r\nd\n"))
        panel.begin_edit()
        assert panel.editor.text() == "a\rb\r\nd\n"
        assert not panel.editor.is_changed

    def test_an_edit_keeps_signs_that_cannot_be_seen(self, panel, qtbot):
        odd = "no\u00a0break \u202eback\u202c zero\u200b \u2028 \x0b \x00 end\r\nb"
        panel.set_rows(diff_rows("x", odd))
        panel.begin_edit()
        panel.editor.editor.moveCursor(QTextCursor.MoveOperation.End)
        qtbot.keyClicks(panel.editor.editor, "!")
        assert panel.editor.text() == odd + "!"

    def test_hostile_text_that_was_not_edited_comes_back_as_it_was(self, panel):
        panel.set_rows(diff_rows("x", HOSTILE))
        panel.begin_edit()
        assert panel.editor.text() == HOSTILE

    def test_an_edit_can_be_taken_back_and_dropped(self, panel, qtbot):
        panel.begin_edit("half typed")
        assert panel.editor.text() == "half typed"
        qtbot.mouseClick(panel.editor.reset, Qt.MouseButton.LeftButton)
        assert panel.editor.text() == AFTER
        panel.editor.editor.undo()
        assert panel.editor.text() == "half typed"
        with qtbot.waitSignal(panel.edit_cancelled, timeout=500):
            qtbot.mouseClick(panel.editor.cancel, Qt.MouseButton.LeftButton)
        assert not panel.is_editing

    def test_nothing_to_compare_and_nothing_changed_are_said(self, panel):
        panel.set_rows(())
        assert panel._same.isVisible()
        assert panel._same.accessibleName() == "Nothing to compare yet"
        panel.set_rows(diff_rows("a\n", "a\n"))
        assert panel._same.accessibleName() == "The two texts are the same"
        assert not panel.bar.next.isEnabled()
        panel.set_rows(diff_rows("a\n", "b\n"))
        assert panel.view.isVisible()

    def test_the_strip_leads_to_where_it_is_pressed(self, panel, qtbot):
        panel.resize(1000, 260)
        strip = panel.findChild(object, "diff-strip")
        kinds = {kind for kind, _, _ in panel.view.change_positions()}
        assert kinds == {"replaced", "deleted", "changed", "added"}
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(8, strip.height() - 2))
        assert panel.view.verticalScrollBar().value() > 0

    def test_tools_change_how_the_texts_stand(self, panel, qtbot):
        qtbot.mouseClick(panel.bar.inline, Qt.MouseButton.LeftButton)
        assert not panel.view.is_side_by_side
        assert panel.bar.inline.isChecked()
        assert not panel.bar.side.isChecked()
        qtbot.mouseClick(panel.bar.side, Qt.MouseButton.LeftButton)
        assert panel.view.is_side_by_side
        qtbot.mouseClick(panel.bar.whitespace, Qt.MouseButton.LeftButton)
        assert panel.view._content.whitespace
        qtbot.mouseClick(panel.bar.fold, Qt.MouseButton.LeftButton)
        assert not any(isinstance(band, Folded) for band in panel.view._content.bands)

    def test_a_check_leads_from_the_list_to_its_place(self, panel):
        panel.bar.read.setChecked(True)
        assert panel.show_place(AFTER.index("Never run"))
        assert panel.view.isVisible()
        assert panel.view.current_hunk() == 4
