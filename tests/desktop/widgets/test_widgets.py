"""The smaller widgets: what they say, what they offer, and what a person did with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from honeyguide.desktop.dialogs.error import ErrorDialog
from honeyguide.desktop.theme.outcomes import verdict_wording
from honeyguide.desktop.widgets.bars import IntervalBar, LimitsBar, WinsBar
from honeyguide.desktop.widgets.buttons import Button, ToolButton
from honeyguide.desktop.widgets.chips import FilterChip, FilterChips, OutcomeBadge, StatusChips
from honeyguide.desktop.widgets.decision_bar import DecisionBar, DecisionState
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.hint_bar import HintBar, KeyHints, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel
from honeyguide.desktop.widgets.schema_diff import SchemaDiffTable, schema_changes
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.spend_meter import SpendMeter
from honeyguide.desktop.widgets.states import StateAction, StateStack, StateView
from tests.desktop.samples import HOSTILE

CLICK = Qt.MouseButton.LeftButton


def texts(widget: QWidget) -> list[str]:
    """Return what the visible labels say."""
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


class TestLabels:
    def test_markup_is_shown_as_text(self, shown):
        label = shown(PlainLabel("<b>x</b> &amp;\x00"), 300, 60)
        assert label.textFormat() == Qt.TextFormat.PlainText
        assert label.text() == "<b>x</b> &amp;◇"
        assert label.raw_text().endswith("\x00")

    def test_a_line_without_room_says_the_rest_in_its_tooltip(self, shown):
        label = shown(ElidedLabel("a long <i>line</i> " * 10), 80, 30)
        assert "&lt;i&gt;" in label.toolTip()
        label.set_text("short")
        label.resize(400, 30)
        assert label.toolTip() == ""
        assert label.accessibleName() == "short"


class TestButtons:
    def test_a_button_that_is_off_says_why_to_eyes_and_ears(self, shown):
        button = shown(Button("Start", "start", tip="Begin."))
        button.set_allowed(False, "No model is <connected>.")
        assert not button.isEnabled()
        assert "No model is &lt;connected&gt;." in button.toolTip()
        assert button.accessibleDescription() == "No model is <connected>."
        button.set_allowed(True)
        assert "Begin." in button.toolTip()

    def test_a_tool_button_tells_its_key(self, shown):
        button = shown(ToolButton("arrow-down", "next", "Next change", key="F7"))
        assert "Next change (F7)" in button.toolTip()
        assert button.accessibleName() == "Next change"


class TestSearchField:
    def test_typing_is_said_once_it_rests(self, shown, qtbot):
        field = shown(SearchField("search", "Search"))
        said: list[str] = []
        field.searched.connect(said.append)
        qtbot.keyClicks(field, "two words")
        assert said == []
        qtbot.waitUntil(lambda: said == ["two words"], timeout=1000)
        qtbot.keyClick(field, Qt.Key.Key_Escape)
        assert said == ["two words", ""]
        field.set_search("  x ")
        assert said[-1] == "x"

    def test_the_arrow_down_leaves_for_the_list(self, shown, qtbot):
        field = shown(SearchField("search", "Search"))
        with qtbot.waitSignal(field.left_down, timeout=200):
            qtbot.keyClick(field, Qt.Key.Key_Down)


class TestChips:
    def test_a_badge_says_the_outcome_in_plain_words_and_the_term_in_the_tooltip(self, shown):
        badge = shown(OutcomeBadge())
        badge.set_outcome("verified_improvement", "Better on 14 of 40.")
        assert badge.words == badge.accessibleName() == "Better, proven"
        assert "Verified improvement" in badge.toolTip()
        assert "Better on 14 of 40." in badge.accessibleDescription()
        badge.set_state("failed")
        assert badge.words == "failed"

    def test_status_chips_count_and_filter(self, shown, qtbot):
        chips = shown(StatusChips())
        chips.set_states(("proposed", "running"))
        chips.set_counts({"proposed": 3})
        chosen: list[frozenset[str]] = []
        chips.selection_changed.connect(chosen.append)
        proposed = chips.findChild(Button, "chip-proposed")
        assert proposed.text() == "waiting 3"
        qtbot.mouseClick(proposed, CLICK)
        chips.select({"running"})
        chips.select({"running"})
        assert chosen == [{"proposed"}, {"running"}]

    def test_chips_of_other_names_replace_the_old_ones(self, shown):
        chips = shown(StatusChips())
        chips.set_states(("proposed",))
        chips.set_states({"worse": verdict_wording("worse")})
        chips.set_counts({"worse": 2})
        assert chips.selected() == frozenset()
        assert chips.findChild(Button, "chip-worse").accessibleName() == "worse: 2"

    def test_a_filter_is_taken_away_by_a_press(self, shown, qtbot):
        chips = FilterChips()
        assert chips.isHidden()
        shown(chips, 600, 40)
        chips.set_filters([FilterChip("kind", "persona"), FilterChip("text", HOSTILE)])
        assert chips.isVisible()
        with qtbot.waitSignal(chips.removed, timeout=200) as gone:
            qtbot.mouseClick(chips.findChild(Button, "filter-kind"), CLICK)
        assert gone.args == ["kind"]
        with qtbot.waitSignal(chips.cleared, timeout=200):
            qtbot.mouseClick(chips.findChild(Button, "filter-clear"), CLICK)
        chips.set_filters([])
        assert not chips.isVisible()


@given(st.lists(st.integers(20, 300), max_size=12), st.integers(80, 600), st.booleans())
def test_a_flow_layout_keeps_its_items_apart_and_inside(widths, room, mirrored):
    holder = QWidget()
    holder.setLayoutDirection(Qt.LayoutDirection.RightToLeft if mirrored else Qt.LayoutDirection.LeftToRight)
    layout = FlowLayout(holder)
    items = []
    for width in widths:
        item = QWidget()
        item.setFixedSize(min(width, room), 20)
        layout.addWidget(item)
        items.append(item)
    holder.resize(room, layout.heightForWidth(room))
    layout.setGeometry(holder.rect())
    rects = [item.geometry() for item in items]
    assert all(holder.rect().contains(rect) for rect in rects)
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])
    holder.deleteLater()


class TestBars:
    def test_wins_are_told_in_words(self, shown):
        bar = shown(WinsBar())
        bar.set_counts(14, 23, 3)
        assert bar.accessibleName() == "14 better, 23 the same, 3 worse, 0 unscored"

    def test_a_gain_is_told_with_interval_and_noise(self, shown):
        bar = shown(IntervalBar())
        bar.set_gain(0.14, (0.09, 0.19), 0.03)
        assert bar.accessibleName() == "Gain: +14 ±5 pts, noise ±3 pts"
        bar.set_gain(None, None)
        assert bar.accessibleName() == "Gain: unknown"

    @pytest.mark.parametrize(
        ("used", "limit", "state", "words"),
        [
            (100, 3000, "ok", "100 of 3000 characters"),
            (2700, 3000, "near", "2700 of 3000 characters"),
            (3001, 3000, "over", "3001 of 3000 characters, 1 too many"),
            (5, None, "ok", "5 characters, no limit"),
        ],
    )
    def test_a_limit_warns_in_words(self, shown, used, limit, state, words):
        bar = shown(LimitsBar())
        bar.set_limit("Persona", used, limit, "characters")
        assert (bar.state, bar.words) == (state, words)
        assert bar.accessibleName() == f"Persona: {words}"

    def test_spend_is_told_against_its_ceilings(self, shown):
        meter = shown(SpendMeter(), 600, 120)
        meter.set_spend(412, 0.31, max_calls=800, max_usd=1.0, replayed=1)
        assert meter.accessibleDescription() == (
            "Calls: 412 of at most 800. Cost: $0.31 of at most $1.00. "
            "1 more call was replayed from the journal and not paid again."
        )
        meter.set_spend(3, None, max_calls=10)
        assert "Cost: unknown" in meter.accessibleDescription()
        meter.set_spend(3, 0.0, costs_money=False)
        assert "Cost: free" in meter.accessibleDescription()


class TestHints:
    def test_a_hint_offers_a_step_and_can_be_closed(self, shown, qtbot):
        bar = HintBar("The live text was changed.", Severity.WARN, action="Compare")
        shown(bar, 500, 50)
        with qtbot.waitSignal(bar.acted, timeout=200):
            qtbot.mouseClick(bar.findChild(Button, "hint-bar-action"), CLICK)
        with qtbot.waitSignal(bar.closed, timeout=200):
            qtbot.mouseClick(bar.findChild(ToolButton, "hint-bar-close"), CLICK)
        assert not bar.isVisible()
        bar.show_hint("Again.", Severity.BAD)
        assert bar.isVisible()
        assert (bar.text, bar.severity) == ("Again.", Severity.BAD)
        bar.show_hint("")
        assert not bar.isVisible()

    def test_keys_are_told_with_what_they_do(self, shown):
        hints = shown(KeyHints(), 400, 30)
        hints.set_hints([("N", "next change"), ("Ctrl+K", "find an action")])
        assert hints.accessibleName() == "N: next change; Ctrl+K: find an action"


class TestStates:
    def test_an_empty_state_offers_the_next_step(self, shown, qtbot):
        view = shown(StateView(), 600, 400)
        view.show_empty("No run yet", "Start with the sample.", [StateAction("sample", "Try the sample")])
        assert "No run yet" in texts(view)
        with qtbot.waitSignal(view.acted, timeout=200) as acted:
            qtbot.mouseClick(view.findChild(Button, "state-sample"), CLICK)
        assert acted.args == ["sample"]

    def test_loading_says_how_far_it_is_and_how_to_stop(self, shown, qtbot):
        view = shown(StateView(), 600, 400)
        view.show_loading("Reading", share=0.25, can_stop=True)
        stop = view.findChild(Button, "state-stop")
        view.show_loading("Reading more", share=0.5, can_stop=True)
        assert view.findChild(Button, "state-stop") is stop, "the button under the pointer stays"
        assert view._bar.value() == 500
        with qtbot.waitSignal(view.acted, timeout=200) as acted:
            qtbot.mouseClick(stop, CLICK)
        assert acted.args == ["stop"]

    def test_an_error_can_be_copied_whole(self, shown, qtbot):
        view = shown(StateView(), 600, 400)
        view.show_error("It broke.", "Try again.", details=HOSTILE, actions=[StateAction("retry", "Try again")])
        qtbot.mouseClick(view.findChild(Button, "state-copy-details"), CLICK)
        copied = QGuiApplication.clipboard().text()
        assert copied.startswith("It broke.\nTry again.\n\n<b>not bold</b>")

    def test_content_and_state_change_places(self, shown):
        stack = shown(StateStack(QLabel("content")), 400, 300)
        stack.show_loading("Reading")
        assert stack.currentWidget() is stack.state
        stack.show_error("Broken.")
        assert stack.state.kind == "error"
        stack.show_content()
        assert stack.currentWidget() is stack.content


class TestDecisionBar:
    @pytest.mark.parametrize(
        ("state", "button", "signal", "arguments"),
        [
            ("proposed", "accept", "accept_requested", ["because"]),
            ("proposed", "reject", "reject_requested", ["because"]),
            ("proposed", "try_it", "try_requested", []),
            ("proposed", "export", "export_requested", []),
            ("deployed", "rollback", "rollback_requested", []),
            ("deployed", "backup", "backup_requested", []),
            ("failed", "retry", "retry_requested", []),
            ("failed", "reject_failed", "reject_requested", ["because"]),
            ("running", "pause", "pause_requested", [True]),
            ("running", "stop", "stop_requested", []),
            ("paused", "go_on", "pause_requested", [False]),
            ("paused", "stop_paused", "stop_requested", []),
            ("interrupted", "resume", "resume_requested", []),
            ("closed", "rerun", "rerun_requested", []),
        ],
    )
    def test_each_state_offers_its_decisions(self, shown, qtbot, state, button, signal, arguments):
        bar = shown(DecisionBar(), 960, 80)
        bar.set_note("because")
        bar.set_state(DecisionState(state), "A sentence.")
        pressed = getattr(bar, button)
        assert pressed.isVisible()
        with qtbot.waitSignal(getattr(bar, signal), timeout=200) as decided:
            qtbot.mouseClick(pressed, CLICK)
        assert decided.args == arguments

    def test_accept_is_off_with_the_reason_in_words(self, shown):
        bar = shown(DecisionBar(), 960, 80)
        bar.set_state(DecisionState.PROPOSED)
        bar.set_accept(False, "The live text was changed meanwhile.")
        assert not bar.accept.isEnabled()
        assert "The live text was changed meanwhile." in texts(bar)
        bar.set_accept(True)
        assert bar.accept.isEnabled()
        assert "The live text was changed meanwhile." not in texts(bar)

    def test_an_open_question_needs_a_note(self, shown, qtbot):
        bar = shown(DecisionBar(), 960, 80)
        bar.set_state(DecisionState.PROPOSED)
        bar.set_accept(True, needs_note=True)
        assert not bar.accept.isEnabled()
        noted: list[str] = []
        bar.note_changed.connect(noted.append)
        qtbot.keyClicks(bar._note, "ok")
        assert bar.accept.isEnabled()
        assert noted == ["o", "ok"]
        bar.set_note("   ")
        assert not bar.accept.isEnabled()

    def test_while_something_is_done_nothing_can_be_pressed(self, shown):
        bar = shown(DecisionBar(), 960, 80)
        bar.set_state(DecisionState.PROPOSED)
        bar.set_busy(True, "Deploying…")
        assert not bar.accept.isEnabled()
        assert "Deploying…" in texts(bar)
        bar.set_busy(False)
        assert bar.accept.isEnabled()

    def test_accept_says_how_many_changes(self, shown):
        bar = shown(DecisionBar(), 960, 80)
        bar.set_accept_words("Accept 3 of 4 changes…")
        assert bar.accept.accessibleName() == "Accept 3 of 4 changes"
        bar.set_accept_words("")
        assert bar.accept.accessibleName() == "Accept & deploy"


class TestGates:
    ROWS = (
        GateRow("size", "pass", "Fine."),
        GateRow("growth", "fail", "31 % longer.", (4, 9)),
        GateRow("new-thing", "skipped", ""),
    )

    def test_what_failed_stands_first_with_reason_and_place(self, shown, qtbot):
        view = shown(GateList(), 900, 400)
        view.set_gates(self.ROWS)
        said = texts(view)
        assert said[0] == "1 of 2 checks failed."
        assert said.index("Growth") < said.index("Size") < said.index("New thing")
        with qtbot.waitSignal(view.place_requested, timeout=200) as asked:
            qtbot.mouseClick(view.findChild(Button, "gate-growth-place"), CLICK)
        assert asked.args == [4, 9]

    @pytest.mark.parametrize(
        ("rows", "summary"),
        [
            ((), "No check has been made yet. They are made when a candidate is ready."),
            ((GateRow("size", "pass"),), "The one check passed."),
            ((GateRow("size", "pass"), GateRow("growth", "pass")), "All 2 checks passed."),
        ],
    )
    def test_the_sum_is_said(self, shown, rows, summary):
        view = shown(GateList())
        view.set_gates(rows)
        assert view.summary == summary


FIELDS = {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "number"}, {"name": "c"}]}


class TestSchema:
    def test_fields_are_compared(self):
        new = {"name": "d", "required": False, "constraints": [{"kind": "enum", "value": ["x", "y"]}]}
        after = {"fields": [{"name": "b", "type": "number"}, {"name": "a", "type": "string"}, new]}
        changes = {change.name: change for change in schema_changes(FIELDS, after)}
        assert {changes["a"].change, changes["b"].change} == {"same", "moved"}
        assert changes["c"].change == "removed"
        assert changes["d"].change == "added"
        assert changes["d"].after == "string, optional, enum x, y"

    def test_another_type_or_meaning_is_a_change(self):
        told = {"name": "b", "type": "number", "description": "How many."}
        after = {"fields": [{"name": "a", "type": "number"}, told, {"name": "c"}]}
        assert [change.change for change in schema_changes(FIELDS, after)] == ["changed", "changed", "same"]

    @pytest.mark.parametrize("broken", [None, {}, {"fields": "x"}, {"fields": [3, {"name": None}]}])
    def test_a_schema_of_any_shape_is_shown(self, shown, broken):
        table = shown(SchemaDiffTable())
        table.set_schemas(broken, FIELDS)
        assert table.model.rowCount() >= 3

    @given(st.permutations(["a", "b", "c", "d"]))
    def test_moving_marks_as_few_fields_as_it_can(self, order):
        before = {"fields": [{"name": name} for name in "abcd"]}
        after = {"fields": [{"name": name} for name in order]}
        kept = [change.name for change in schema_changes(before, after) if change.change == "same"]
        assert kept == sorted(kept)
        assert kept


def test_a_badge_mirrors_with_the_window(shown):
    badge = OutcomeBadge()
    badge.set_outcome("rejected")
    shown(badge, *badge.sizeHint().toTuple())
    left = badge.grab().toImage()
    badge.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert badge.grab().toImage() != left


def test_an_error_stays_on_the_screen_whatever_it_says(qtbot):
    word = "a" * 1_000_000
    dialog = ErrorDialog(word, word, "", None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.width() < 1000
    assert dialog.height() < 900
