"""The list of runs: ages grow while it is seen, and nothing ticks while it is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtCore import QTimer

from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.pages.run_list import RunListPanel

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_ages_grow_while_the_list_is_seen_and_rest_while_it_is_not(shown: Callable[..., Any]) -> None:
    panel = RunListPanel()
    moment = [NOW]
    panel.model._now = lambda: moment[0]
    panel.model.set_rows([RunRow("run-1", "proposed", "generic", "support", NOW - timedelta(minutes=1))])
    panel.show_right_state()
    shown(panel)
    age = panel.model.index(0, panel.model.columnCount() - 1)
    assert age.data() == "1 min"
    (ticking,) = [timer for timer in panel.findChildren(QTimer) if timer.interval() >= 10_000]
    assert ticking.isActive()
    moment[0] += timedelta(minutes=4)
    ticking.timeout.emit()
    assert age.data() == "5 min"
    panel.hide()
    assert not ticking.isActive()
