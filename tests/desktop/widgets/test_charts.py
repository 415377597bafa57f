"""Charts: what they show, what a person can point at, what is saved; and that pyqtgraph waits until it is needed."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.models.candidates import Candidate
from honeyguide.desktop.pages.run_curves import first_calls, spent
from honeyguide.desktop.theme import Scheme, apply_theme, derive
from honeyguide.desktop.widgets.charts import BestSoFarChart, ChartFormat, ParetoChart, ProgressPoint, SpendChart
from honeyguide.desktop.widgets.charts.front import front_of
from honeyguide.kernel.choice import unit
from honeyguide.kernel.errors import Unwritable
from tests.desktop.gallery import candidate_rows

POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20)


@given(POINTS, st.booleans(), st.booleans())
def test_the_front_is_what_no_other_point_beats(points, x_more, y_more):
    def good(point: tuple[int, int]) -> tuple[int, int]:
        return point[0] if x_more else -point[0], point[1] if y_more else -point[1]

    def beaten(point: tuple[int, int]) -> bool:
        x, y = good(point)
        return any(good(o) != (x, y) and good(o)[0] >= x and good(o)[1] >= y for o in points)

    front = [points[index] for index in front_of(points, x_more=x_more, y_more=y_more)]
    assert sorted(front) == sorted({point for point in points if not beaten(point)})
    assert [x for x, _ in front] == sorted(x for x, _ in front)


def test_pyqtgraph_and_numpy_are_not_imported_with_the_widgets():
    code = "import honeyguide.desktop.widgets, sys; print(sorted({'pyqtgraph', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_chart_loads_its_library_in_a_thread_when_it_is_first_seen(shown, qtbot):
    chart = ParetoChart()
    chart.set_candidates(candidate_rows(20))
    assert not chart.is_ready
    shown(chart, 600, 400)
    qtbot.waitUntil(lambda: chart.is_ready, timeout=20_000)
    assert chart.stack.currentWidget() is chart.stack.content
    assert "20" in chart.note.raw_text() or "candidates" in chart.note.raw_text()


@pytest.fixture
def pareto(shown) -> ParetoChart:
    chart = ParetoChart()
    chart.set_candidates(candidate_rows(60))
    chart.make_ready()
    shown(chart, 700, 450)
    chart.redraw_now()
    chart.grab()
    return chart


def place_of(chart: ParetoChart, name: str) -> QPoint:
    at = chart._points[chart._ids.index(name)]
    return chart.plot.mapFromScene(chart.plot.getViewBox().mapViewToScene(QPointF(*at)))


def test_the_winner_and_the_live_text_are_marked(pareto):
    assert len(pareto._items["winner"].points()) == 1
    assert len(pareto._items["baseline"].points()) == 1
    assert pareto._items["winner-label"].isVisible()
    assert pareto.front_ids()
    winner = next(row for row in pareto.candidates() if row.is_winner)
    said = pareto.plot.accessibleDescription()
    assert said.endswith(f"Winner: {winner.chars} characters, score {winner.overall:.2f}.")


def test_scores_of_other_cases_are_shown_and_not_compared(shown):
    chart = ParetoChart()
    chart.set_candidates(
        [
            Candidate("g0-baseline", None, scores={"overall": 0.6}, chars=700, is_baseline=True),
            Candidate("g1-m0", "g0-baseline", scores={"overall": 0.93}, chars=813, is_comparable=False),
            Candidate("g2-m0", "g1-m0", scores={"overall": 0.92}, chars=846, is_winner=True),
        ]
    )
    chart.make_ready()
    shown(chart, 600, 400)
    chart.redraw_now()
    assert chart.front_ids() == ["g0-baseline", "g2-m0"]
    assert len(chart._items["apart"].points()) == 1
    assert chart.note.raw_text() == (
        "2 candidates, 2 that no other beats in both. "
        "Rings (1) were measured on other cases, so they are not compared. "
        "Winner: 846 characters, score 0.92."
    )
    chart.set_axes("chars", "generation")
    chart.redraw_now()
    assert not len(chart._items["apart"].points())


def test_a_press_on_a_candidate_chooses_it(pareto, qtbot):
    winner = next(row for row in pareto.candidates() if row.is_winner)
    pos = place_of(pareto, winner.id)
    assert pareto.candidate_near(pos.x(), pos.y()).id == winner.id
    with qtbot.waitSignal(pareto.candidate_chosen, timeout=500) as chosen:
        qtbot.mouseClick(pareto.plot.viewport(), Qt.MouseButton.LeftButton, pos=pos)
    assert chosen.args == [winner.id]
    assert pareto.candidate_near(-500, -500) is None


def test_arrow_keys_walk_the_candidates_and_enter_opens(pareto, qtbot):
    pareto.plot.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(pareto.plot, key)
    least = min(zip(pareto._points, pareto._ids, strict=True))[1]
    with qtbot.waitSignal(pareto.candidate_chosen, timeout=500) as chosen:
        qtbot.keyClick(pareto.plot, Qt.Key.Key_Return)
    assert chosen.args == [least]


def test_the_axes_can_be_chosen_and_say_which_end_is_good(pareto):
    pareto.set_axes("correctness", "chars")
    pareto.set_axes("nonsense", "nonsense")
    pareto.redraw_now()
    assert pareto.axes() == ("correctness", "chars")
    assert pareto.plot.getAxis("left").labelText == "Characters (less is better)"


def test_what_a_candidate_is_stands_in_plain_words(pareto):
    winner = next(row for row in pareto.candidates() if row.is_winner)
    words = pareto.words_of(winner)
    assert "the winner" in words
    assert "Characters: " in words


def test_many_updates_are_drawn_together(pareto, qtbot):
    drawn: list[int] = []
    pareto.drawn.connect(lambda: drawn.append(1))
    for n in range(50):
        pareto.add_candidates([Candidate(f"new-{n}", scores={"overall": 0.5}, chars=n + 1)])
    assert drawn == []
    qtbot.waitUntil(lambda: drawn == [1], timeout=1000)
    assert len(pareto.candidates()) == 110


def test_ten_thousand_candidates_are_drawn_smoothly(shown):
    chart = ParetoChart()
    chart.make_ready()
    shown(chart, 900, 600)
    rows = [
        Candidate(f"c{n}", scores={"overall": unit(1, "s", n)}, chars=int(unit(2, "c", n) * 3000))
        for n in range(10_000)
    ]
    chart.set_candidates(rows)
    chart.redraw_now()
    chart.grab()
    started = time.process_time()
    for _ in range(3):
        chart.redraw_now()
        chart.grab()
    assert (time.process_time() - started) / 3 < 0.4


@pytest.mark.parametrize("form", ChartFormat)
def test_a_chart_is_saved(pareto, tmp_path: Path, form):
    path = tmp_path / f"chart.{form.value}"
    pareto.save(form, path)
    if form is ChartFormat.PNG:
        assert QImage(str(path)).width() >= 1000
    elif form is ChartFormat.SVG:
        assert path.read_text(encoding="utf-8").startswith("<?xml")
    else:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        assert len(rows) == 60
        assert sum(row["is_winner"] == "True" for row in rows) == 1


@pytest.mark.parametrize("form", ChartFormat)
def test_a_folder_that_is_not_there_is_said(pareto, tmp_path: Path, form):
    with pytest.raises(Unwritable, match=r"chart\.x could not be written"):
        pareto.save(form, tmp_path / "missing" / "chart.x")


def test_saving_is_offered_once_there_is_something(shown, qtbot):
    chart = SpendChart()
    shown(chart, 500, 300)
    qtbot.waitUntil(lambda: chart.is_ready, timeout=20_000)
    assert not chart._export.isEnabled()
    chart.add_point(1, 0.1)
    qtbot.waitUntil(chart._export.isEnabled, timeout=1000)
    with qtbot.waitSignal(chart.export_wanted, timeout=200) as wanted:
        chart._export.menu().actions()[2].trigger()
    assert wanted.args == [ChartFormat.CSV]


class TestBestSoFar:
    def test_the_line_never_falls(self, shown):
        chart = BestSoFarChart()
        chart.set_points(
            [
                ProgressPoint(1, 30, 0.6),
                ProgressPoint(0, 10, 0.5),
                ProgressPoint(1, 20, 0.7),
                ProgressPoint(2, 40, 0.65),
            ]
        )
        assert chart.best() == [(0, 0.5), (1, 0.7), (2, 0.7)]
        chart.set_by("calls")
        assert chart.best() == [(10, 0.5), (20, 0.7), (30, 0.7), (40, 0.7)]
        chart.make_ready()
        shown(chart, 500, 300)

    def test_scores_of_other_cases_lie_beside_the_line(self, shown):
        chart = BestSoFarChart()
        chart.set_points(
            [
                ProgressPoint(0, None, 0.6),
                ProgressPoint(1, 20, 0.93, is_comparable=False),
                ProgressPoint(2, None, 0.92),
            ]
        )
        assert chart.best() == [(0, 0.6), (2, 0.92)]
        chart.make_ready()
        shown(chart, 500, 300)
        chart.redraw_now()
        assert chart.note.raw_text() == "Best score 0.92. Dots off the line (1) were measured on other cases."

    @pytest.mark.parametrize("height", [180, 230, 300, 500])
    def test_the_value_at_the_end_of_the_line_is_not_cut_off(self, shown, qtbot, height):
        chart = BestSoFarChart()
        chart.set_points([ProgressPoint(0, 10, 0.6), ProgressPoint(1, 30, 0.93)])
        chart.set_baseline(0.6, 0.03)
        chart.make_ready()
        shown(chart, 480, 600)
        chart.redraw_now()
        chart.resize(480, height)
        label, box = chart._items["last"], chart.plot.getViewBox()

        def fits() -> bool:
            chart.grab()
            return box.sceneBoundingRect().contains(label.mapRectToScene(label.boundingRect()))

        qtbot.waitUntil(fits, timeout=2000)

    def test_the_band_is_told_and_only_drawn_when_known(self, shown):
        chart = BestSoFarChart()
        chart.add_point(ProgressPoint(0, 10, 0.5))
        chart.set_baseline(0.45, 0.03)
        chart.make_ready()
        shown(chart, 500, 300)
        chart.redraw_now()
        assert "±3 points" in chart.note.raw_text()
        assert chart._items["band"].isVisible()
        chart.set_baseline(0.45)
        chart.redraw_now()
        assert not chart._items["band"].isVisible()
        chart.set_baseline(None)
        chart.redraw_now()
        assert not chart._items["baseline"].isVisible()


def test_spend_is_told_against_its_ceiling_and_unknown_prices_are_said(shown):
    chart = SpendChart()
    chart.set_points([(10, 0.1), (20, None), (30, 0.31)])
    chart.set_ceiling(1.0, 100)
    chart.make_ready()
    shown(chart, 500, 300)
    chart.redraw_now()
    assert chart.note.raw_text() == "$0.31 for 30 calls. At most $1.00. Some prices are unknown."
    chart.set_ceiling(None)
    chart.redraw_now()
    assert not chart._items["ceiling"].isVisible()


def test_a_chart_follows_the_theme(pareto, qapp, qtbot):
    from honeyguide.desktop.theme import Scheme, apply_theme, derive

    light = pareto.grab().toImage()
    apply_theme(qapp, derive(Scheme.DARK))
    pareto.redraw_now()
    assert pareto.grab().toImage() != light
    apply_theme(qapp, derive(Scheme.LIGHT))


def test_no_axis_scales_its_numbers_also_after_the_theme_changed(qapp: QApplication) -> None:
    best, spend = BestSoFarChart(), SpendChart()
    best.set_points([ProgressPoint(n, 10 * n, 0.55 + 0.1 * n) for n in range(4)])
    best.set_baseline(0.55, 0.02)
    spend.set_points([(0, 0.0), (100, 0.0005)])
    for chart in (best, spend):
        chart.resize(500, 300)
        chart.make_ready()
        chart.redraw_now()
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        apply_theme(qapp, derive(scheme))
        for chart in (best, spend):
            chart._colour_frame()
            chart.redraw_now()
            scales = [chart.plot.getAxis(side).autoSIPrefixScale for side in ("left", "bottom")]
            assert scales == [1.0, 1.0]
    assert spend.plot.getAxis("left").range[1] > 0.01
    assert best.plot.getAxis("left").range[1] > 0.88
    assert {spacing for spacing, _ in best.plot.getAxis("bottom").tickSpacing(0, 3, 400)} == {1}
    for chart in (best, spend):
        chart.deleteLater()


def test_points_without_a_known_call_are_counted_by_generation_only(qapp: QApplication) -> None:
    chart = BestSoFarChart()
    chart.set_points([ProgressPoint(0, 3, 0.5), ProgressPoint(1, None, 0.9), ProgressPoint(2, 40, 0.7)])
    assert chart.best() == [(0, 0.5), (1, 0.9), (2, 0.9)]
    chart.set_by("calls")
    assert chart.best() == [(3, 0.5), (40, 0.7)]
    chart.set_points([ProgressPoint(0, None, 0.5)])
    assert chart.best() == [(0, 0.5)]
    chart.deleteLater()


def test_the_course_of_a_run_is_read_from_its_journal_and_not_made_up():
    def call(role: str, request: str, usd: float | None) -> SimpleNamespace:
        return SimpleNamespace(role=role, request=request, cost_usd=usd)

    calls = [call("executor", "A\n\nhello", 0.1), call("judge", "B", 0.2), call("executor", "B\n\nhello", None)]
    assert first_calls(calls, {"a": "A", "b": "B", "never": "C"}) == {"a": 1, "b": 3}
    assert spent(calls) == ((0, 0.0), (1, 0.1), (2, pytest.approx(0.3)), (3, None))
    many = spent([call("judge", "", 0.001)] * 5000)
    assert len(many) < 450 and many[-1] == (5000, pytest.approx(5.0))
