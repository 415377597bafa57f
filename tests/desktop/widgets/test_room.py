"""A table beside something else, in a narrow window: what matters can still be read."""

from __future__ import annotations

from typing import Any

from honeyguide.desktop.models.columns import Column, ColumnState
from honeyguide.desktop.models.targets import TargetTableModel
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.widgets.column_room import LEAST_STRETCHED
from honeyguide.desktop.widgets.data_table import DataTable


def test_the_column_that_stretches_keeps_room_and_the_others_come_back(qtbot: Any) -> None:
    model = TargetTableModel(None, brief=True)
    table = DataTable("targets", "Targets", model)
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    header = table.horizontalHeader()
    usual = [header.sectionSize(n) for n in range(header.count()) if not model.columns[n].stretch]
    told: list[ColumnState] = []
    table.columns_changed.connect(told.append)
    table.resize(360, 300)
    stretched = next(n for n, column in enumerate(model.columns) if column.stretch)
    assert header.sectionSize(stretched) >= Metrics.characters(LEAST_STRETCHED)
    table.resize(900, 300)
    assert [header.sectionSize(n) for n in range(header.count()) if not model.columns[n].stretch] == usual
    assert not told, "a narrow window is no choice of the person"


def test_a_tight_column_is_never_narrower_than_its_title(qtbot: Any) -> None:
    model = TargetTableModel(None, brief=True)
    model.columns = (*model.columns[:3], Column("traces", "Aufzeichnungen", 8, right=True), *model.columns[4:])
    table = DataTable("targets", "Targets", model)
    qtbot.addWidget(table)
    table.make_tight(3)
    assert table.horizontalHeader().sectionSize(3) >= table.fontMetrics().horizontalAdvance("Aufzeichnungen")
