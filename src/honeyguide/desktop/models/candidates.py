"""The candidates of a run as a family tree: under each text those that were made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt

from honeyguide.desktop.models.cells import KEY_ROLE, Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import header_data
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import strategy_words
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that was tried.

    Attributes:
        parent: id of the text it was made from. ``strategy``: what its maker was asked to do.
        scores: by name, each in [0, 1], with ``overall`` among them; empty when it was not scored.
        complexity, chars: how much structure, how many characters it has.
        feedback: what its maker was told had gone wrong. ``refused``: the check that turned it away.
        calls: how many model calls had been made when it was measured, for charts.
        stage: ``schema`` or ``instruction``.
        is_comparable: whether its scores are from the same cases as the winner's, or else the live text's.
    """

    id: str
    parent: str | None = None
    strategy: str = ""
    generation: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)
    complexity: float | None = None
    chars: int = 0
    text: str = ""
    on_front: bool = False
    is_winner: bool = False
    is_baseline: bool = False
    feedback: str = ""
    refused: str = ""
    calls: int | None = None
    stage: str = "instruction"
    is_comparable: bool = True

    @property
    def overall(self) -> float | None:
        """The overall score, or the mean of what there is; ``None`` when unscored."""
        if "overall" in self.scores:
            return self.scores["overall"]
        return sum(self.scores.values()) / len(self.scores) if self.scores else None


class CandidateModel(QAbstractItemModel):
    """The family tree. A candidate whose parent is unknown stands at the top; a cycle is cut where it closes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        translate = QCoreApplication.translate
        self.columns = (
            Column("name", translate("CandidateModel", "Candidate"), 44, stretch=True, fixed=True),
            Column("score", translate("CandidateModel", "Score"), 9, right=True),
            Column("gain", translate("CandidateModel", "Against now"), 12, right=True),
            Column("chars", translate("CandidateModel", "Characters"), 11, right=True),
            Column("generation", translate("CandidateModel", "Generation"), 10, right=True),
            Column("why", translate("CandidateModel", "Made because"), 40),
        )
        self._rows: list[Candidate] = []
        self._numbers: dict[str, int] = {}
        self._parents: list[int] = []
        self._children: dict[int, list[int]] = {-1: []}
        self._at: list[int] = []
        self._baseline: float | None = None

    def set_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._rows = list({candidate.id: candidate for candidate in candidates}.values())
        self._numbers = {candidate.id: number for number, candidate in enumerate(self._rows)}
        self._parents = [self._numbers.get(c.parent, -1) if c.parent else -1 for c in self._rows]
        self._cut_cycles()
        self._children = {-1: []}
        self._at = []
        for number, parent in enumerate(self._parents):
            siblings = self._children.setdefault(parent, [])
            self._at.append(len(siblings))
            siblings.append(number)
        baseline = next((c for c in self._rows if c.is_baseline), None)
        self._baseline = baseline.overall if baseline else None
        self.endResetModel()

    def candidates(self) -> list[Candidate]:
        """Return all of them, as they came."""
        return list(self._rows)

    def candidate(self, index: AnyIndex) -> Candidate | None:
        """Return the candidate at ``index``."""
        return self._rows[index.internalId()] if index.isValid() else None

    def index_of(self, candidate_id: str) -> QModelIndex:
        """Return where a candidate stands; an invalid index for an unknown one."""
        number = self._numbers.get(candidate_id)
        return QModelIndex() if number is None else self.createIndex(self._at[number], 0, number)

    def line_of(self, candidate_id: str) -> list[Candidate]:
        """Return a candidate and its ancestors, the oldest first."""
        line: list[Candidate] = []
        number = self._numbers.get(candidate_id, -1)
        while number >= 0:
            line.append(self._rows[number])
            number = self._parents[number]
        return line[::-1]

    def cell(self, row: Candidate, column: int) -> Cell:
        """Return what a column shows of a candidate."""
        return _CELLS[self.columns[column].id](row, self._baseline)

    # --- Qt

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        children = self._children.get(parent.internalId() if parent.isValid() else -1, [])
        if 0 <= row < len(children) and 0 <= column < len(self.columns):
            return self.createIndex(row, column, children[row])
        return QModelIndex()

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        if not index.isValid():
            return QModelIndex()
        number = self._parents[index.internalId()]
        return QModelIndex() if number < 0 else self.createIndex(self._at[number], 0, number)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        if parent.isValid() and parent.column() > 0:
            return 0
        return len(self._children.get(parent.internalId() if parent.isValid() else -1, []))

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return len(self.columns)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        row = self.candidate(index)
        if row is None:
            return None
        return row.id if role == KEY_ROLE else self.cell(row, index.column()).data(role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        return header_data(self.columns[section], role)

    def _cut_cycles(self) -> None:
        safe = [False] * len(self._rows)
        for start in range(len(self._rows)):
            path: list[int] = []
            on_path: set[int] = set()
            at = start
            while at >= 0 and not safe[at]:
                if at in on_path:
                    self._parents[at] = -1
                    break
                path.append(at)
                on_path.add(at)
                at = self._parents[at]
            for number in path:
                safe[number] = True


def _name(row: Candidate, baseline: float | None) -> Cell:
    translate = QCoreApplication.translate
    words = strategy_words(row.strategy) if row.strategy else row.id
    tip = f"{row.id}\n{words}"
    if row.is_winner:
        said = translate("CandidateModel", "winner: {what}").format(what=words)
        return Cell(said, Role.ACCENT_TEXT, "crown", strong=True, tip=tip)
    if row.is_baseline:
        return Cell(words, Role.TEXT, "ring", strong=True, tip=tip)
    if row.refused:
        said = translate("CandidateModel", "refused: {what}").format(what=words)
        return Cell(said, Role.BAD, "cross", tip=f"{tip}\n{row.refused}")
    if row.on_front:
        front = translate("CandidateModel", "No other candidate is better in everything.")
        return Cell(words, Role.TEXT, "flag", tip=f"{tip}\n{front}")
    return Cell(words, Role.TEXT, "waiting" if row.scores else "skipped", tip=tip)


def _gain(row: Candidate, baseline: float | None) -> Cell:
    if row.overall is None or baseline is None or row.is_baseline or not row.is_comparable:
        return Cell("–", Role.TEXT_2, right=True)
    delta = row.overall - baseline
    role = Role.GOOD if delta > 0 else Role.BAD if delta < 0 else Role.TEXT_2
    return Cell(figures.points(delta), role, right=True)


_CELLS: dict[str, Callable[[Candidate, float | None], Cell]] = {
    "name": _name,
    "score": lambda row, _: Cell(figures.score(row.overall), right=True),
    "gain": _gain,
    "chars": lambda row, _: Cell(figures.whole(row.chars), right=True),
    "generation": lambda row, _: Cell(figures.whole(row.generation), Role.TEXT_2, right=True),
    "why": lambda row, _: Cell(one_line(row.feedback or row.refused), Role.TEXT_2, tip=row.feedback[:1000]),
}
