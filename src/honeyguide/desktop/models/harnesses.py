"""Harness folders, their clusters of failures and their proposals, as rows of tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.theme.code_words import friction_words, status_words
from honeyguide.desktop.theme.outcomes import outcome_wording
from honeyguide.desktop.theme.plain_text import one_line


@dataclass(frozen=True, slots=True)
class FolderLine:
    """One folder; ``problem`` says why it cannot be used."""

    path: str
    name: str
    waiting: int
    is_registered: bool
    problem: str = ""


class FolderModel(IndexedTableModel[FolderLine]):
    """The folders that the page knows."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("name", tr("HarnessModel", "Harness"), 20, stretch=True, fixed=True),
                Column("waiting", tr("HarnessModel", "Waiting"), 9, right=True, fixed=True),
            ),
            parent,
        )

    def key(self, row: FolderLine) -> str:
        return row.path

    def raw(self, row: FolderLine, column: int) -> Any:
        return getattr(row, self.columns[column].id)

    def sort_value(self, row: FolderLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.casefold() if isinstance(value, str) else value

    def words(self, row: FolderLine) -> str:
        return f"{row.name} {row.path}".casefold()

    def cell(self, row: FolderLine, column: int) -> Cell:
        tr = QCoreApplication.translate
        if self.columns[column].id == "name":
            tip = f"{row.path}\n{row.problem}".strip()
            if row.problem:
                return Cell(one_line(row.name, 80), Role.BAD, "warning", tip=tip, spoken=f"{row.name}: {row.problem}")
            return Cell(one_line(row.name, 80), icon="harness", tip=tip)
        if not row.waiting:
            return Cell("–", Role.TEXT_2, right=True, spoken=tr("HarnessModel", "none waits"))
        spoken = tr("HarnessModel", "{n} proposals wait for you").format(n=row.waiting)
        return Cell(figures.whole(row.waiting), Role.WARN, right=True, strong=True, spoken=spoken, tip=spoken)


@dataclass(frozen=True, slots=True)
class ClusterLine:
    """Failures that look alike."""

    kind: str
    signature: str
    count: int


class ClusterModel(IndexedTableModel[ClusterLine]):
    """What failed in the live version, grouped."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("count", tr("HarnessModel", "Times"), 8, right=True, fixed=True),
                Column("kind", tr("HarnessModel", "Where"), 26, fixed=True),
                Column("signature", tr("HarnessModel", "What"), 40, stretch=True, fixed=True),
            ),
            parent,
        )

    def key(self, row: ClusterLine) -> str:
        return f"{row.kind} {row.signature}"

    def raw(self, row: ClusterLine, column: int) -> Any:
        return getattr(row, self.columns[column].id)

    def sort_value(self, row: ClusterLine, column: int) -> Any:
        return getattr(row, self.columns[column].id)

    def cell(self, row: ClusterLine, column: int) -> Cell:
        name = self.columns[column].id
        if name == "count":
            return Cell(figures.whole(row.count), right=True)
        if name == "kind":
            return Cell(cluster_words(row.kind), Role.TEXT_2)
        words = status_words(row.signature) if row.kind == "status" else friction_words(row.signature)
        return Cell(one_line(words, 300), tip=row.signature[:600])


def cluster_words(kind: str) -> str:
    """Return where failures of a kind show, in words."""
    tr = QCoreApplication.translate
    return {
        "verdict": tr("HarnessModel", "a check of the answer"),
        "guardrail": tr("HarnessModel", "a guardrail"),
        "status": tr("HarnessModel", "how the run ended"),
        "friction": tr("HarnessModel", "on the way"),
    }.get(kind, kind)


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """One draft in the queue; ``proof`` is what was measured, in words."""

    id: str
    status: str
    why: str
    proof: str
    trigger: str
    created_at: datetime
    is_stale: bool
    approvals: int


class ProposalModel(IndexedTableModel[ProposalLine]):
    """The queue of a folder."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("status", tr("HarnessModel", "State"), 18, fixed=True),
                Column("why", tr("HarnessModel", "Why"), 40, stretch=True, fixed=True),
                Column("proof", tr("HarnessModel", "Proof"), 18),
                Column("trigger", tr("HarnessModel", "Drafted"), 16, shown=False),
                Column("created_at", tr("HarnessModel", "Age"), 9, right=True),
            ),
            parent,
        )

    def key(self, row: ProposalLine) -> str:
        return row.id

    def raw(self, row: ProposalLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.isoformat() if isinstance(value, datetime) else value

    def sort_value(self, row: ProposalLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.casefold() if isinstance(value, str) else value

    def cell(self, row: ProposalLine, column: int) -> Cell:
        name = self.columns[column].id
        if name == "status":
            words, role, icon = queue_look(row.status, is_stale=row.is_stale)
            return Cell(words, role, icon, strong=row.status == "pending")
        if name == "created_at":
            age = figures.age(row.created_at, datetime.now(UTC))
            return Cell(age, Role.TEXT_2, right=True, tip=figures.exact_time(row.created_at))
        if name == "trigger":
            return Cell(trigger_words(row.trigger), Role.TEXT_2)
        if name == "proof":
            return Cell(proof_words(row.proof), Role.TEXT_2)
        return Cell(one_line(row.why, 300), tip=row.why[:600])


def queue_look(status: str, *, is_stale: bool = False) -> tuple[str, Role, str]:
    """Return words, colour and icon of a proposal's state."""
    tr = QCoreApplication.translate
    if is_stale:
        return tr("HarnessModel", "out of date"), Role.WARN, "stale"
    return {
        "pending": (tr("HarnessModel", "waits for you"), Role.WARN, "waiting"),
        "applying": (tr("HarnessModel", "being applied"), Role.INFO, "running"),
        "applied": (tr("HarnessModel", "applied"), Role.GOOD, "check"),
        "rejected": (tr("HarnessModel", "rejected"), Role.TEXT_2, "cross"),
    }.get(status, (status, Role.TEXT_2, "question"))


def trigger_words(trigger: str) -> str:
    """Return what had a proposal drafted."""
    tr = QCoreApplication.translate
    return {
        "manual": tr("HarnessModel", "by you"),
        "auto": tr("HarnessModel", "after failures"),
        "reflect": tr("HarnessModel", "as a lesson"),
        "executor": tr("HarnessModel", "by the agent"),
        "http": tr("HarnessModel", "over HTTP"),
    }.get(trigger, trigger)


def proof_words(label: str) -> str:
    """Return what was proven, in the words of the window; an unknown label as it is."""
    known = {
        "better, proven": "verified_improvement",
        "safe, not proven": "regression_safe",
        "worse": "rejected",
        "cannot tell yet": "inconclusive",
        "adds a capability": "capability_rejected",
    }
    if label.casefold() in ("", "unproven"):
        return QCoreApplication.translate("HarnessModel", "not measured")
    name = known.get(label.casefold())
    return outcome_wording(name).words if name else label
