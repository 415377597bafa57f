"""The cases of a suite on both sides: how each went now and with the proposal, trial by trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, qcolor
from honeyguide.desktop.theme.icons import icon
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.labels import named


@dataclass(frozen=True, slots=True)
class TrialSide:
    """How one case went on one side.

    Attributes:
        status: ``pass``, ``fail``, ``inconclusive``, ``flaky``, or empty when it was not run.
        trials: (status, reason) of each repetition, in order.
    """

    status: str = ""
    reason: str = ""
    passed: int = 0
    repetitions: int = 0
    trials: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TrialCase:
    """One case; ``evidence`` are the problems that it reproduces."""

    name: str
    evidence: tuple[str, ...]
    now: TrialSide
    proposed: TrialSide


class TrialsTree(QTreeWidget):
    """Cases that changed first; a case opens to its trials."""

    def __init__(self, name: str) -> None:
        self._cases: tuple[TrialCase, ...] = ()
        super().__init__()
        named(self, name, self.tr("Cases of the suite, before and after"))
        self.setHeaderLabels(
            [self.tr("Case"), self.tr("Now"), self.tr("Proposed"), self.tr("Reproduces"), self.tr("Why")]
        )
        self.setUniformRowHeights(True)
        for column, wide in enumerate((34, 18, 18, 20)):
            self.setColumnWidth(column, Metrics.characters(wide))

    def set_cases(self, cases: Sequence[TrialCase]) -> None:
        """Show these cases."""
        self._cases = tuple(cases)
        self.clear()
        for case in sorted(cases, key=lambda case: case.now.status == case.proposed.status):
            why = spoken(case.proposed.reason or case.now.reason)
            evidence = ", ".join(case.evidence)
            item = QTreeWidgetItem([one_line(case.name, 160), "", "", one_line(evidence, 120), one_line(why, 300)])
            self._side(item, 1, case.now)
            self._side(item, 2, case.proposed)
            for column, text in ((0, case.name), (3, evidence), (4, why)):
                item.setToolTip(column, tooltip(text))
            for number in range(max(len(case.now.trials), len(case.proposed.trials))):
                item.addChild(self._trial(number, case))
            self.addTopLevelItem(item)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._cases:
            self.set_cases(self._cases)

    def _trial(self, number: int, case: TrialCase) -> QTreeWidgetItem:
        child = QTreeWidgetItem([self.tr("trial {n}").format(n=number + 1), "", "", "", ""])
        said = []
        for column, side in ((1, case.now), (2, case.proposed)):
            if number < len(side.trials):
                status, reason = side.trials[number]
                self._status(child, column, status, trial_words(status))
                said.append(reason)
        why = " · ".join(reason for reason in said if reason)
        child.setText(4, one_line(why, 300))
        child.setToolTip(4, tooltip(why))
        return child

    def _side(self, item: QTreeWidgetItem, column: int, side: TrialSide) -> None:
        words = trial_words(side.status)
        if side.repetitions > 1:
            words = self.tr("{words}, {n} of {all}").format(words=words, n=side.passed, all=side.repetitions)
        self._status(item, column, side.status, words)

    def _status(self, item: QTreeWidgetItem, column: int, status: str, words: str) -> None:
        role, sign = _LOOKS.get(status, (Role.TEXT_2, "skipped"))
        item.setText(column, words)
        item.setIcon(column, icon(sign, role))
        item.setForeground(column, qcolor(role))
        item.setData(column, Qt.ItemDataRole.AccessibleTextRole, words)


_LOOKS = {
    "pass": (Role.GOOD, "good"),
    "fail": (Role.BAD, "bad"),
    "inconclusive": (Role.WARN, "question"),
    "flaky": (Role.WARN, "tilde"),
}


def trial_words(status: str) -> str:
    """Return how a case or a trial went, in words; an unknown state as it is."""
    tr = QCoreApplication.translate
    return {
        "pass": tr("Trials", "green"),
        "fail": tr("Trials", "red"),
        "inconclusive": tr("Trials", "cannot tell"),
        "flaky": tr("Trials", "sometimes green"),
        "": tr("Trials", "not run"),
    }.get(status, status)


def trial_cases(now: Mapping[str, Any] | None, proposed: Mapping[str, Any] | None) -> list[TrialCase]:
    """Return the cases of two results of a suite, joined by name; ``None`` is a side that was not run."""
    sides = [{str(c.get("name")): c for c in (result or {}).get("cases") or []} for result in (now, proposed)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    found = []
    for name in names:
        before, after = (side.get(name) for side in sides)
        evidence = tuple(str(each) for each in (before or after or {}).get("evidence") or ())
        found.append(TrialCase(name, evidence, _side_of(before), _side_of(after)))
    return found


def _side_of(case: Mapping[str, Any] | None) -> TrialSide:
    if case is None:
        return TrialSide()
    trials = tuple((str(t.get("status") or ""), str(t.get("reason") or "")) for t in case.get("trials") or ())
    return TrialSide(
        status="flaky" if case.get("flaky") else str(case.get("status") or ""),
        reason=str(case.get("reason") or ""),
        passed=int(case.get("passCount") or 0),
        repetitions=int(case.get("repetitions") or 0),
        trials=trials,
    )
