"""The filters of the inbox besides the states: kind, outcome, age, target; kept and saved under names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from honeyguide.desktop.memory import Memory
from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.theme.outcomes import kind_wording, outcome_wording
from honeyguide.desktop.widgets.chips import FilterChip

KINDS = (
    "persona-system-prompt", "behavioral-spec-section", "tool-description", "skill-body", "generic",
    "instruction-file", "subagent", "command", "harness", "flow",
)  # fmt: skip
OUTCOMES = ("verified_improvement", "regression_safe", "inconclusive", "rejected", "capability_rejected")
DAYS = (1, 7, 30)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the list is narrowed to; empty and 0 for no narrowing."""

    kind: str = ""
    outcome: str = ""
    days: int = 0
    target: str = ""

    @classmethod
    def from_json(cls, data: object) -> Wanted:
        """Read plain data; what cannot be read counts as not narrowed."""
        if not isinstance(data, Mapping):
            return cls()
        texts = {key: data[key] for key in ("kind", "outcome", "target") if isinstance(data.get(key), str)}
        days = data.get("days")
        return cls(**texts, days=days if isinstance(days, int) else 0)


class InboxFilter(QObject):
    """Signals:
    changed(): something else is wanted. save_wanted(): a person wants to keep the filter under a name.
    """

    changed = Signal()
    save_wanted = Signal()

    def __init__(self, memory: Memory, parent: QWidget) -> None:
        super().__init__(parent)
        self._memory = memory
        self.wanted = Wanted.from_json(memory.get("inbox.filter"))
        self.menu = QMenu(parent)
        self.menu.setObjectName("inbox-filter-menu")
        self.menu.aboutToShow.connect(self._fill)
        self._fill()

    def passes(self) -> Callable[[RunRow], bool] | None:
        """Return what a row must satisfy; ``None`` for nothing."""
        wanted = self.wanted
        if wanted == Wanted():
            return None
        oldest = datetime.now(UTC) - timedelta(days=wanted.days) if wanted.days else None

        def fits(row: RunRow) -> bool:
            return (
                (not wanted.kind or row.kind == wanted.kind)
                and (not wanted.outcome or row.outcome == wanted.outcome)
                and (not wanted.target or row.name == wanted.target)
                and (oldest is None or row.created_at >= oldest)
            )

        return fits

    def chips(self) -> list[FilterChip]:
        """Return the filters in force, in words."""
        wanted = self.wanted
        chips = []
        if wanted.kind:
            chips.append(FilterChip("kind", kind_wording(wanted.kind).words))
        if wanted.outcome:
            chips.append(FilterChip("outcome", outcome_wording(wanted.outcome).words))
        if wanted.days:
            chips.append(FilterChip("days", self._days_words(wanted.days)))
        if wanted.target:
            chips.append(FilterChip("target", wanted.target))
        return chips

    def remove(self, name: str) -> None:
        """Take one filter away."""
        self._use(replace(self.wanted, **{name: getattr(Wanted(), name)}))

    def clear(self) -> None:
        """Take all away."""
        self._use(Wanted())

    def only_target(self, name: str) -> None:
        """Show the runs of one target only."""
        self._use(replace(self.wanted, target=name))

    def save(self, name: str) -> None:
        """Keep the filter in force under a name; the same name replaces it."""
        saved = self._memory.table("inbox.saved-filters")
        saved[name] = asdict(self.wanted)
        self._memory.set("inbox.saved-filters", saved)
        self._fill()

    def saved(self) -> list[str]:
        """Return the names of kept filters."""
        return sorted(self._memory.table("inbox.saved-filters"), key=str.casefold)

    def use_saved(self, name: str) -> None:
        """Put a kept filter in force."""
        self._use(Wanted.from_json(self._memory.table("inbox.saved-filters").get(name)))

    def forget_saved(self, name: str) -> None:
        """Forget a kept filter."""
        saved = self._memory.table("inbox.saved-filters")
        saved.pop(name, None)
        self._memory.set("inbox.saved-filters", saved)
        self._fill()

    def _use(self, wanted: Wanted) -> None:
        if wanted != self.wanted:
            self.wanted = wanted
            self._memory.set("inbox.filter", asdict(wanted))
            self.changed.emit()

    def _fill(self) -> None:
        self.menu.clear()
        kinds = {kind: kind_wording(kind).words for kind in KINDS}
        outcomes = {outcome: outcome_wording(outcome).words for outcome in OUTCOMES}
        days = {number: self._days_words(number) for number in DAYS}
        self._choices("kind", self.tr("Kind"), kinds, "")
        self._choices("outcome", self.tr("Outcome"), outcomes, "")
        self._choices("days", self.tr("Age"), days, 0)
        self.menu.addSeparator()
        for name in self.saved():
            kept = self.menu.addMenu(name)
            use = kept.addAction(self.tr("Use"))
            use.setObjectName(f"filter-use-{name}")
            use.triggered.connect(lambda _=False, n=name: self.use_saved(n))
            forget = kept.addAction(self.tr("Forget"))
            forget.triggered.connect(lambda _=False, n=name: self.forget_saved(n))
        save = self.menu.addAction(self.tr("Save this filter…"))
        save.setObjectName("filter-save")
        save.setEnabled(self.wanted != Wanted())
        save.triggered.connect(lambda: self.save_wanted.emit())
        clear = self.menu.addAction(self.tr("Show all"))
        clear.setObjectName("filter-show-all")
        clear.setEnabled(self.wanted != Wanted())
        clear.triggered.connect(self.clear)

    def _choices(self, field: str, title: str, words: Mapping[Any, str], none: Any) -> None:
        menu = self.menu.addMenu(title)
        menu.setObjectName(f"filter-{field}")
        group = QActionGroup(menu)
        for value, said in {none: self.tr("any"), **words}.items():
            action = QAction(said, menu)
            action.setObjectName(f"filter-{field}-{value}")
            action.setCheckable(True)
            action.setChecked(getattr(self.wanted, field) == value)
            action.triggered.connect(partial(self._choose, field, value))
            group.addAction(action)
            menu.addAction(action)

    def _choose(self, field: str, value: Any, _checked: bool = False) -> None:
        self._use(replace(self.wanted, **{field: value}))

    def _days_words(self, days: int) -> str:
        return self.tr("last day") if days == 1 else self.tr("last {n} days").format(n=days)
