from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from honeyguide.desktop.models.cells import CELL_ROLE, KEY_ROLE
from honeyguide.desktop.models.export import Format, export_rows
from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.rows import progressed, run_row
from honeyguide.desktop.theme.roles import Role
from honeyguide.workspace.views.runs import RunTableRow

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def run(n: int, state: str = "proposed", **fields) -> RunRow:
    defaults = {"kind": "skill-body", "name": f"skill-{n}", "created_at": NOW - timedelta(hours=n)}
    return RunRow(f"run-{n}", state, **{**defaults, **fields})


def model_of(*rows: RunRow) -> RunTableModel:
    model = RunTableModel(now=lambda: NOW)
    model.set_rows(rows)
    return model


def shown(model: RunTableModel) -> list[str]:
    return [model.index(at, 0).data(KEY_ROLE) for at in range(model.rowCount())]


def column(model: RunTableModel, name: str) -> int:
    return next(number for number, c in enumerate(model.columns) if c.id == name)


def text(model: RunTableModel, at: int, name: str) -> str:
    return model.index(at, column(model, name)).data()


def test_the_model_keeps_qts_rules(qapp):
    model = model_of(*(run(n, delta=n / 100) for n in range(30)))
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.sort(column(model, "gain"), Qt.SortOrder.DescendingOrder)
    model.search("skill-1")
    model.add_rows([run(100), run(1, "rejected")], first=True)
    model.set_states({"rejected"})
    model.remove_keys(["run-3"])
    model.set_states(())
    assert tester.model() is model


@pytest.mark.parametrize(
    ("row", "name", "words"),
    [
        (run(2, outcome="verified_improvement"), "outcome", "Better, proven"),
        (run(2, "deployed", outcome="verified_improvement"), "outcome", "deployed"),
        (run(2, "running", progress=0.62), "outcome", "running 62 %"),
        (run(2, "skipped-delta"), "outcome", "nothing better"),
        (run(2, outcome="verified_improvement", delta=0.14, interval=(0.09, 0.19)), "gain", "+14 ±5 pts"),
        (run(2, outcome="regression_safe", delta=0.14, interval=(0.09, 0.19)), "gain", "+14 pts, not proven"),
        (run(2, outcome="inconclusive", delta=0.14, interval=(0.09, 0.19)), "gain", "+14 pts, not proven"),
        (run(2, outcome="rejected", delta=-0.14, interval=(-0.19, -0.09)), "gain", "−14 ±5 pts"),
        (run(2, delta=0.14), "gain", "+14 pts"),
        (run(2), "gain", "–"),
        (run(2), "cost", "unknown"),
        (run(2, cost_usd=0.31), "cost", "$0.31"),
        (run(2), "age", "2 h"),
        (run(2, gates="fail", failed_gate="growth"), "gates", "Growth"),
        (run(2, name="a\nb<b>"), "target", "a b<b>"),
    ],
)
def test_a_cell_says_it_in_plain_words(row, name, words):
    assert text(model_of(row), 0, name) == words


def test_a_colour_is_never_alone():
    for outcome in ("verified_improvement", "regression_safe", "rejected", "inconclusive"):
        model = model_of(run(1, outcome=outcome))
        cell = model.index(0, 0).data(CELL_ROLE)
        assert cell.icon
        assert cell.role is not Role.TEXT


def test_unknown_values_stand_last_in_both_directions():
    model = model_of(run(1, cost_usd=0.2), run(2), run(3, cost_usd=0.1))
    cost = column(model, "cost")
    model.sort(cost, Qt.SortOrder.AscendingOrder)
    assert shown(model) == ["run-3", "run-1", "run-2"]
    model.sort(cost, Qt.SortOrder.DescendingOrder)
    assert shown(model) == ["run-1", "run-3", "run-2"]
    model.sort(-1)
    assert shown(model) == ["run-1", "run-2", "run-3"]


@given(
    st.lists(st.tuples(st.sampled_from(["proposed", "rejected"]), st.one_of(st.none(), st.floats(-1, 1))), max_size=25)
)
def test_filtering_and_sorting_agree_with_the_plain_way(rows):
    model = model_of(*(run(n, state, delta=delta) for n, (state, delta) in enumerate(rows)))
    model.set_states({"proposed"})
    model.sort(column(model, "gain"), Qt.SortOrder.DescendingOrder)
    kept = [(n, delta) for n, (state, delta) in enumerate(rows) if state == "proposed"]
    known = sorted((k for k in kept if k[1] is not None), key=lambda k: k[1], reverse=True)
    unknown = [k for k in kept if k[1] is None]
    assert shown(model) == [f"run-{n}" for n, _ in known + unknown]


def test_search_looks_for_every_word_in_name_kind_change_and_model():
    model = model_of(run(1, change="Adds one rule"), run(2, name="Support", model="practice"))
    model.search("RULE adds")
    assert shown(model) == ["run-1"]
    model.search("support practice")
    assert shown(model) == ["run-2"]
    model.search("support rule")
    assert shown(model) == []


def test_a_held_row_stays_held_through_sorting_and_filtering(qapp):
    model = model_of(*(run(n, delta=n / 100) for n in range(10)))
    held = QPersistentModelIndex(model.index(3, 2))
    model.sort(column(model, "gain"), Qt.SortOrder.DescendingOrder)
    assert (held.row(), held.column(), held.data(KEY_ROLE)) == (6, 2, "run-3")
    model.search("skill-3")
    assert held.row() == 0
    model.search("skill-4")
    assert not held.isValid()


def test_a_running_row_is_updated_in_its_place_and_new_runs_stand_first():
    model = model_of(run(1, "running", progress=0.1), run(2))
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    assert model.show_progress("run-1", 0.5, "Measuring", 0.02)
    assert changed == [(0, 0)]
    assert text(model, 0, "outcome") == "running 50 %"
    assert text(model, 0, "cost") == "$0.02"
    assert not model.show_progress("run-9", 0.5, "", None)
    model.add_rows([run(3, "running")], first=True)
    model.add_rows([run(4, "running")], first=True)
    assert shown(model) == ["run-4", "run-3", "run-1", "run-2"]
    model.sort(column(model, "age"))
    model.sort(-1)
    assert shown(model) == ["run-4", "run-3", "run-1", "run-2"]


def test_a_row_that_leaves_the_filter_disappears_and_one_that_enters_appears():
    model = model_of(run(1, "running"), run(2, "running"))
    model.set_states({"running"})
    model.update_row(run(1, "proposed"))
    assert shown(model) == ["run-2"]
    model.set_states({"proposed"})
    assert shown(model) == ["run-1"]
    assert model.counts() == {"proposed": 1, "running": 1}
    model.set_extra_filter(lambda row: row.uuid == "run-2")
    assert shown(model) == []


def test_the_first_screen_is_there_at_once_and_sorting_waits_for_the_index():
    model = model_of(run(0, delta=0.1), run(1, delta=0.3))
    progress: list[tuple[int, int]] = []
    model.index_progress.connect(lambda done, total: progress.append((done, total)))
    model.begin_index(5)
    model.sort(column(model, "gain"), Qt.SortOrder.DescendingOrder)
    assert model.waits_to_sort
    assert shown(model) == ["run-0", "run-1"]
    model.add_index([run(1, partial=True), run(2, partial=True, delta=0.2), run(3, partial=True)])
    model.add_index([run(4, partial=True, delta=0.5)])
    assert model.row_of("run-1").delta == 0.3, "what is known in full is not replaced by its index"
    model.finish_index()
    assert shown(model) == ["run-4", "run-1", "run-2", "run-0", "run-3"]
    assert not model.waits_to_sort
    assert progress[0] == (2, 5)
    assert progress[-1] == (5, 5)


def test_a_row_that_is_only_indexed_is_asked_for_once_when_it_comes_into_view(qtbot):
    model = model_of(run(1, partial=True), run(2, partial=True), run(3))
    with qtbot.waitSignal(model.rows_wanted, timeout=1000) as asked:
        for at in (0, 1, 2, 0):
            model.index(at, 0).data(CELL_ROLE)
    assert asked.args == [["run-1", "run-2"]]
    with qtbot.assertNotEmitted(model.rows_wanted, wait=80):
        model.index(0, 0).data(CELL_ROLE)
    model.update_row(run(1))
    assert text(model, 0, "change") == ""


def test_exported_values_are_raw_and_formulas_are_disarmed():
    model = model_of(run(1, name="=HYPERLINK(1)", delta=0.14, cost_usd=None), run(2, name='say "hi", twice'))
    values = model.export_values(None, ["target", "gain", "cost"])
    assert values == [["=HYPERLINK(1)", 0.14, None], ['say "hi", twice', None, None]]
    titles = [("target", "Target"), ("gain", "Gain"), ("cost", "Cost")]
    csv_text = export_rows(titles, values, Format.CSV)
    assert csv_text == 'Target,Gain,Cost\r\n\'=HYPERLINK(1),0.14,\r\n"say ""hi"", twice",,\r\n'
    assert '"gain": 0.14' in export_rows(titles, values, Format.JSON)
    assert export_rows([("a", "A")], [["x|y\nz"]], Format.MARKDOWN) == "| A |\n| --- |\n| x\\|y z |\n"
    assert model.export_values(["run-2", "gone"], ["target"]) == [['say "hi", twice']]


def test_only_a_valid_position_has_data(qapp):
    model: QAbstractItemModel = model_of(run(1))
    assert model.data(QModelIndex()) is None
    assert model.headerData(99, Qt.Orientation.Horizontal) is None
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    assert model.headerData(0, Qt.Orientation.Horizontal) == "Outcome"
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_running_line_never_shows_a_code_word_of_the_search():
    row = RunTableRow(
        uuid="run-1", state="running", target_kind="text", target_name="support", finding=None, words="", change="",
        delta=None, interval=None, gate_verdict=None, failed_gate=None, cost_usd=None, calls=3,
        created_at="2026-06-01T12:00:00.000Z", progress=None, message="mutate", model=None, needs_note=False,
        can_accept=False,
    )  # fmt: skip
    assert run_row(row).phase == ""
    assert run_row(replace(row, message="Collecting cases.")).phase == "Collecting cases."
    assert progressed(run_row(row), {"message": "mutate"}).phase == ""
