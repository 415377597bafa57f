"""The bodies of a review's tabs: made when they are first looked at, read when they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.review_tabs import ChartsTab, EvidenceTab, JournalTab
from honeyguide.desktop.pages.run_curves import RunCurves, run_curves
from honeyguide.desktop.rows import candidates
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.widgets.lineage_tree import LineageTree

if TYPE_CHECKING:
    from honeyguide.workspace import RunDetail

T = TypeVar("T", bound=QWidget)


class ReviewParts(QStackedWidget):
    """Signals:
    candidate_chosen(id): a point of the charts was pressed.
    """

    candidate_chosen = Signal(str)

    def __init__(self, desk: Desk, tasks: TaskScope, names: Sequence[str], ready: Mapping[str, QWidget]) -> None:
        """``names`` are the tabs in order; ``ready`` holds those that the panel makes itself."""
        super().__init__()
        self._desk = desk
        self._tasks = tasks
        self._names = tuple(names)
        self._loaded: set[str] = set()
        for name in names:
            self.addWidget(ready.get(name) or QWidget())

    @cached_property
    def evidence(self) -> EvidenceTab:
        """Every unseen case."""
        tab = EvidenceTab(self._desk, self._tasks)
        return self._put("evidence", tab, *tab.lists())

    @cached_property
    def charts(self) -> ChartsTab:
        """What was tried, and what it cost."""
        tab = ChartsTab(self._desk, self._tasks)
        tab.candidate_chosen.connect(self.candidate_chosen)
        return self._put("charts", tab)

    @cached_property
    def lineage(self) -> LineageTree:
        """Which text was made from which."""
        tree = LineageTree()
        return self._put("lineage", tree, tree.tree)

    @cached_property
    def journal(self) -> JournalTab:
        """Every model call."""
        tab = JournalTab(self._desk, self._tasks)
        return self._put("journal", tab, *tab.lists())

    def forget(self) -> None:
        """Read everything anew when it is next looked at."""
        self._loaded.clear()

    def load(self, name: str, detail: RunDetail) -> None:
        """Read what a tab shows of a run, unless it is read already."""
        if name in self._loaded:
            return
        self._loaded.add(name)
        if name == "evidence":
            self.evidence.show_run(detail)
        elif name in ("charts", "lineage"):
            self._loaded.update(("charts", "lineage"))
            self._tasks.latest("candidates", lambda: self._load_candidates(detail.uuid), self._show_candidates)
        elif name == "journal":
            self.journal.show_run(detail)

    async def _load_candidates(self, uuid: str) -> tuple[RunDetail, list[Any], RunCurves]:
        workspace = self._desk.workspace
        stored = await workspace.run_candidates(uuid)
        detail = await workspace.run(uuid)
        rows = candidates(stored, detail.lineage)
        return detail, rows, await run_curves(workspace, uuid, rows)

    def _show_candidates(self, found: tuple[RunDetail, list[Any], RunCurves]) -> None:
        detail, rows, curves = found
        self.lineage.set_candidates(rows)
        self.charts.show_run(detail, rows, curves)

    def _put(self, name: str, tab: T, *lists: QWidget) -> T:
        """Put a part where a blank stood for it; single keys work in its lists."""
        index = self._names.index(name)
        was_in_front = self.currentIndex() == index
        blank = self.widget(index)
        if blank is not None:
            self.removeWidget(blank)
            blank.deleteLater()
        self.insertWidget(index, tab)
        if was_in_front:
            self.setCurrentIndex(index)
        self._desk.window.single_keys.attach(*lists)  # type: ignore[attr-defined]
        return tab
