"""Other ways to look at a comparison: both texts rendered, and without the changes that only concern blanks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip

from honeyguide.desktop.widgets.diff import DiffPanel, Layout, Side, TextMark
from honeyguide.desktop.widgets.diff.bands import Head, Piece
from honeyguide.desktop.widgets.diff.rendered import is_renderable, readable_markdown
from tests.desktop.samples import AFTER, BEFORE, HOSTILE, HOSTILE_AFTER, diff_rows

WORDS = [f"Rule {n} of the desk.\n" for n in range(40)]
OLD = "".join(WORDS)
NEW = (
    OLD.replace("Rule 3 of", "Rule 3  of")
    .replace("Rule 10 of the", "Rule 10 at the")
    .replace("Rule 20 of the desk.\n", "Rule 20 of\nthe desk.\n\n")
    .replace("Rule 30 of the", "Rule 30 in the")
)
"""Changes 1 and 3 concern blanks only (a doubled one; a paragraph wrapped anew), 2 and 4 concern words."""


@pytest.fixture
def panel(shown) -> DiffPanel:
    made = DiffPanel()
    made.set_rows(diff_rows(OLD, NEW))
    made.set_checkable(True)
    made.set_editable(True)
    shown(made, 1000, 600)
    return made


def heads(panel: DiffPanel) -> list[int]:
    return [band.hunk for band in panel.view._content.bands if isinstance(band, Head)]


class TestBlanks:
    def test_they_go_out_of_sight_and_stay_changes(self, panel, qtbot):
        ticked: list[object] = []
        panel.ticked.connect(ticked.append)
        assert heads(panel) == [1, 2, 3, 4]
        assert not panel.note.isVisible()
        qtbot.mouseClick(panel.bar.blanks, Qt.MouseButton.LeftButton)
        assert heads(panel) == [2, 4]
        assert len(panel.view.change_positions()) == 2
        assert panel.note.text == "2 changes of blanks only are not shown; they are deployed all the same."
        assert panel.view.hunks() == [1, 2, 3, 4]
        assert panel.view.included() == {1, 2, 3, 4}
        assert ticked == [], "looking ticks nothing"
        qtbot.mouseClick(panel.bar.blanks, Qt.MouseButton.LeftButton)
        assert heads(panel) == [1, 2, 3, 4]
        assert not panel.note.isVisible()

    def test_keys_pass_over_them_and_numbers_stay(self, panel, qtbot):
        panel.set_ignoring_blanks(True)
        assert panel.bar._place.raw_text() == "Change 2 of 4"
        assert not panel.bar.previous.isEnabled()
        qtbot.keyClick(panel.view, Qt.Key.Key_N)
        assert panel.view.current_hunk() == 4
        assert panel.bar._place.raw_text() == "Change 4 of 4"
        assert not panel.bar.next.isEnabled()
        qtbot.keyClick(panel.view, Qt.Key.Key_N)
        assert panel.view.current_hunk() == 4
        qtbot.keyClick(panel.view, Qt.Key.Key_P)
        assert panel.view.current_hunk() == 2
        assert not panel.view.go_to_change(3)
        panel.bar.read.setChecked(True)
        assert [panel.reading.item(n).text()[:13] for n in range(panel.reading.count())] == [
            "Change 2 of 4",
            "Change 4 of 4",
        ]

    def test_what_is_left_out_is_said(self, panel):
        panel.set_ignoring_blanks(True)
        panel.view.set_included({2, 3, 4})
        said = "2 changes of blanks only are not shown; 1 of them are deployed all the same."
        assert panel.note.text == said
        panel.set_editable(False)
        assert "part of the change" in panel.note.text

    @pytest.mark.parametrize("layout", [Layout.SIDE_BY_SIDE, Layout.INLINE])
    def test_both_texts_stay_as_they_are(self, panel, layout):
        panel.view.set_layout(layout)
        panel.set_ignoring_blanks(True)
        panel.view.set_folding(False)
        content = panel.view._content
        drawn = [content.rows[b.row].after for b in content.bands if isinstance(b, Piece)]
        assert "".join(text for text in drawn if text) == NEW
        panel.view.grab()

    def test_one_that_a_check_complains_about_is_shown(self, panel):
        panel.set_ignoring_blanks(True)
        start = NEW.index("Rule 3  of")
        panel.set_marks([TextMark("gate", Side.AFTER, start, start + 8, "Not so.")])
        assert heads(panel) == [1, 2, 4]
        assert panel.note.text.startswith("1 change of blanks only")

    def test_words_that_grow_together_are_a_change_of_words(self, panel):
        panel.set_ignoring_blanks(True)
        panel.set_rows(diff_rows("now here\n", "nowhere\n"))
        assert heads(panel) == [1]

    def test_nothing_else_to_see(self, panel):
        panel.set_ignoring_blanks(True)
        panel.set_rows(diff_rows("a b\r\n", "a  b\n"))
        assert heads(panel) == []
        assert panel.note.text == "1 change of blanks only is not shown; it is deployed all the same."
        assert "Only blanks differ" in panel.view.accessibleDescription()
        assert not panel.bar.next.isEnabled()
        assert not panel.bar.previous.isEnabled()
        panel.set_ignoring_blanks(False)
        assert panel.view.current_hunk() == 1


class TestRendered:
    def test_both_texts_stand_beside_each_other(self, panel, qtbot):
        panel.set_rows(diff_rows(BEFORE, AFTER))
        assert panel.view.isVisible(), "source is the default"
        qtbot.mouseClick(panel.bar.rendered, Qt.MouseButton.LeftButton)
        pair = panel.rendered
        assert pair.isVisible()
        assert not panel.view.isVisible()
        assert "How you work\nExplain the plan" in pair.before.toPlainText()
        assert "## " not in pair.after.toPlainText()
        assert "Never run" in pair.after.toPlainText()
        assert pair.after.isReadOnly()
        assert pair.after.accessibleName() == "Proposed, rendered"
        qtbot.mouseClick(panel.bar.rendered, Qt.MouseButton.LeftButton)
        assert panel.view.isVisible()

    def test_they_scroll_together(self, panel):
        panel.set_rows(diff_rows(BEFORE * 8, AFTER * 9 + "![a](b.png)\n"))
        panel.set_rendered(True)
        QApplication.processEvents()
        assert panel.rendered.after.verticalScrollBar().value() == 0, "from the top on"
        before, after = panel.rendered.before.verticalScrollBar(), panel.rendered.after.verticalScrollBar()
        before.setValue(before.maximum())
        assert after.value() == after.maximum() > 0
        after.setValue(0)
        assert before.value() == 0

    def test_what_was_left_out_is_said(self, panel):
        panel.set_rendered(True)
        assert not panel.note.isVisible()
        panel.view.set_included({1})
        assert panel.note.text == "Rendered with every change, also those that are left out."

    def test_text_of_others_does_nothing(self, panel, tmp_path: Path, qtbot):
        picture = tmp_path / "seen.png"
        image = QImage(20, 20, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.red)
        assert image.save(str(picture))
        address = picture.as_uri()
        bad = (
            f"---\nname: hidden\n---\n\n![of a *cat*]({address})\n\n<img src='{address}'> <b>bold</b>\n\n"
            f"[press](http://127.0.0.1:9/ \"<img src='{address}'>\") tro\u202ejan\n"
        )
        panel.set_rows(diff_rows("x\n", bad + HOSTILE))
        panel.set_rendered(True)
        text = panel.rendered.after
        words = text.toPlainText()
        assert "name: hidden" in words
        assert "<b>bold</b>" in words
        assert "not loaded: of a" in words
        assert "\u202e" not in words
        assert "\ufffc" not in words
        panel.grab()
        assert text.document().resource(2, address).width() == 1, "the file was not read"
        assert not text.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
        place = QPoint(30, 200)
        QApplication.sendEvent(text.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, text.mapToGlobal(place)))
        assert not QToolTip.isVisible()
        panel.set_rows(diff_rows(HOSTILE, HOSTILE_AFTER))
        assert "<script>alert(1)</script>" in panel.rendered.after.toPlainText()

    def test_a_long_text_is_shown_as_source(self, panel, qtbot):
        panel.set_rendered(True)
        panel.set_rows(diff_rows("a\n", "Some words.\n" * 20_000))
        assert panel.view.isVisible()
        assert panel.note.text.endswith("they are shown as source only.")
        panel.set_rows(diff_rows("a\n", "b\n"))
        assert panel.rendered.isVisible()
        assert not panel.note.isVisible()

    @pytest.mark.parametrize("text", ["x" * 20_000, "- a\n" * 5_000, "|a" * 4_000, "*a\n" * 20_000, "![a](b)\n" * 900])
    def test_what_would_hold_up_the_window_is_not_rendered(self, text):
        assert not is_renderable(text)
        assert is_renderable(BEFORE * 20)

    def test_the_way_back_to_the_source(self, panel, qtbot):
        panel.set_rendered(True)
        panel.open_find()
        assert panel.view.isVisible()
        panel.set_rendered(True)
        panel.bar.read.setChecked(True)
        assert panel.reading.isVisible()
        assert not panel.bar.rendered.isChecked()
        panel.set_rendered(True)
        assert not panel.bar.read.isChecked()
        panel.begin_edit()
        assert panel.is_editing
        panel.end_edit()
        assert panel.rendered.isVisible()
        assert panel.show_place(5)
        assert panel.view.isVisible()


def test_front_matter_is_code_that_cannot_end_early():
    made = readable_markdown("---\r\nname: ```\r\n---\r\n# T\r\n")
    assert made == "``````yaml\nname: ```\n``````\n\n# T\n"
