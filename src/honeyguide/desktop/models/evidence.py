"""The evidence of a run: every unseen example with both answers and what the judge said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import verdict_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role


class Verdict(StrEnum):
    """How the new text did on one example."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One example.

    Attributes:
        role: what ``expected`` is: ``reference``, ``rubric`` or ``checks``.
        before, after: the answers with the current and with the proposed text.
        score_before, score_after: in [0, 1]; ``None`` is unscored.
        judge_before, judge_after: the judge's words.
        trace_id: the trace it was mined from. ``group``: the slice it belongs to.
    """

    example_id: str
    input: str
    expected: str = ""
    role: str = "reference"
    before: str = ""
    after: str = ""
    score_before: float | None = None
    score_after: float | None = None
    verdict: str = Verdict.UNSCORED
    judge_before: str = ""
    judge_after: str = ""
    trace_id: int | None = None
    group: str = ""

    @property
    def change(self) -> float | None:
        """Score after minus score before; ``None`` when either is unscored."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after - self.score_before


class EvidenceModel(IndexedTableModel[EvidenceRow]):
    """The examples, worst change first until a person sorts otherwise."""

    def __init__(self, parent: QObject | None = None) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            (
                Column("verdict", translate("EvidenceModel", "Verdict"), 14, fixed=True),
                Column("change", translate("EvidenceModel", "Change"), 10, right=True, fixed=True),
                Column("input", translate("EvidenceModel", "Input"), 34, stretch=True, fixed=True),
                Column("expected", translate("EvidenceModel", "Expected"), 24),
                Column("before", translate("EvidenceModel", "Now"), 24),
                Column("after", translate("EvidenceModel", "Proposed"), 24),
                Column("score_before", translate("EvidenceModel", "Score now"), 10, right=True, shown=False),
                Column("score_after", translate("EvidenceModel", "Score proposed"), 13, right=True, shown=False),
                Column("group", translate("EvidenceModel", "Slice"), 12, shown=False),
            ),
            parent,
        )
        self._verdicts: frozenset[str] = frozenset()
        super().sort(1, Qt.SortOrder.AscendingOrder)

    def counts(self) -> dict[str, int]:
        """Return how many examples have each verdict; every verdict is there."""
        counts = {verdict.value: 0 for verdict in Verdict}
        for row in self._rows:
            counts[row.verdict] = counts.get(row.verdict, 0) + 1
        return counts

    def set_verdicts(self, verdicts: set[str] | frozenset[str]) -> None:
        """Show only these verdicts; none shows all."""
        self._verdicts = frozenset(verdicts)
        wanted = self._verdicts
        self.set_filter((lambda row: row.verdict in wanted) if wanted else None)

    def key(self, row: EvidenceRow) -> str:
        return row.example_id

    def words(self, row: EvidenceRow) -> str:
        return "\n".join((row.input, row.expected, row.before, row.after, row.judge_after, row.group)).casefold()

    def cell(self, row: EvidenceRow, column: int) -> Cell:
        return _CELLS[self.columns[column].id](row)

    def sort_value(self, row: EvidenceRow, column: int) -> Any:
        name = self.columns[column].id
        if name == "verdict":
            return _RANKS.get(row.verdict, 9)
        value = getattr(row, name)
        return value.casefold() if isinstance(value, str) else value

    def raw(self, row: EvidenceRow, column: int) -> Any:
        return getattr(row, self.columns[column].id)


def _verdict(row: EvidenceRow) -> Cell:
    said = verdict_wording(row.verdict)
    return Cell(said.words, said.role, said.icon, tip=said.tip)


def _change(row: EvidenceRow) -> Cell:
    said = verdict_wording(row.verdict)
    tip = QCoreApplication.translate("EvidenceModel", "Score {before} now, {after} proposed").format(
        before=figures.score(row.score_before), after=figures.score(row.score_after)
    )
    text = figures.signed_points(row.change) if row.change is not None else "–"
    return Cell(text, said.role, right=True, tip=tip, spoken=figures.points(row.change))


_RANKS = {"worse": 0, "unscored": 1, "same": 2, "better": 3}
_CELLS: dict[str, Callable[[EvidenceRow], Cell]] = {
    "verdict": _verdict,
    "change": _change,
    "input": lambda row: Cell(one_line(row.input), tip=row.input[:600]),
    "expected": lambda row: Cell(one_line(row.expected), Role.TEXT_2, tip=row.expected[:600]),
    "before": lambda row: Cell(one_line(row.before), Role.TEXT_2, tip=row.before[:600]),
    "after": lambda row: Cell(one_line(row.after), tip=row.after[:600]),
    "score_before": lambda row: Cell(figures.score(row.score_before), right=True),
    "score_after": lambda row: Cell(figures.score(row.score_after), right=True),
    "group": lambda row: Cell(one_line(row.group, 60), Role.TEXT_2),
}
