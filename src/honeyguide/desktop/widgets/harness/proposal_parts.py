"""The parts of a proposal for a harness, each with what the gate said; and what was measured, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Type, figures
from honeyguide.desktop.theme.outcomes import outcome_wording
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.labels import named


class ProposalParts(QTreeWidget):
    """The parts of a proposal: plain changes, those that need a tick of their own, and what the gate refused.

    Signals:
        changed(): another tick.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        named(self, "harness-parts", self.tr("Parts of the proposal"))
        self.setHeaderLabels([self.tr("Part"), self.tr("What is said of it")])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setColumnWidth(0, Metrics.characters(40))
        self.setMinimumHeight(Metrics.row_height() * 3)
        self._plain: list[str] = []
        self._ticks: list[tuple[QTreeWidgetItem, str, str]] = []
        self.itemChanged.connect(lambda *_: self.changed.emit())

    def set_parts(self, gate: Mapping[str, Any], remaining: Sequence[str], *, can_choose: bool) -> None:
        """Show what the gate made of a proposal; ``remaining`` names what still waits of one applied in part."""
        self.blockSignals(True)
        self.clear()
        self._plain, self._ticks = [], []
        capabilities = {str(c["path"]): str(c["sentence"]) for c in gate.get("capability_changes") or []}
        for change in gate.get("accepted") or []:
            path = str(change["path"])
            if remaining and path not in remaining:
                continue
            if path in capabilities:
                self._add("capability", path, capabilities[path], can_choose)
            else:
                self._plain.append(path)
                self._line(path, str(change.get("rationale") or ""), self.tr("passed the gate"))
        for change in gate.get("code_changes") or []:
            file = str(change["file"])
            if remaining and file not in remaining:
                continue
            said = str(change.get("rationale") or self.tr("Code of the folder: look at its difference first."))
            self._add("code", file, said, can_choose)
            if file in capabilities:
                self._add("capability", file, capabilities[file], can_choose)
        for refused in gate.get("rejected") or []:
            self._line(str(refused["path"]), str(refused["reason"]), self.tr("refused by the gate"))
        self.blockSignals(False)
        self.setVisible(self.topLevelItemCount() > 0)

    def plain(self) -> list[str]:
        """Return the paths that need no tick."""
        return list(self._plain)

    def agreed(self, kind: str) -> list[str]:
        """Return the ticked ``code`` files or ``capability`` paths."""
        return [name for item, each, name in self._ticks if each == kind and _is_ticked(item)]

    def left(self) -> list[str]:
        """Return what needs a tick and has none."""
        return list(dict.fromkeys(name for item, _, name in self._ticks if not _is_ticked(item)))

    def has_anything(self) -> bool:
        """Say whether anything would be made: a plain change, or a part with all its ticks."""
        open_ones = set(self.left())
        return bool(self._plain) or any(name not in open_ones for _, _, name in self._ticks)

    def _add(self, kind: str, name: str, said: str, can_choose: bool) -> None:
        words = self.tr("needs your tick: new ability") if kind == "capability" else self.tr("needs your tick: code")
        item = self._line(name, said, words)
        if can_choose:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(0, Qt.CheckState.Unchecked)
        self._ticks.append((item, kind, name))

    def _line(self, name: str, said: str, state: str) -> QTreeWidgetItem:
        said = spoken(said)
        item = QTreeWidgetItem([one_line(name, 200), f"{state} · {one_line(said, 400)}" if said else state])
        item.setToolTip(0, tooltip(name))
        item.setToolTip(1, tooltip(f"{state}\n{said}"))
        item.setFont(0, Metrics.font(Type.MONO))
        self.addTopLevelItem(item)
        return item


def proof_sentence(proof: Mapping[str, Any]) -> str:
    """Return what replaying recorded inputs showed, in one sentence with its numbers."""
    tr = QCoreApplication.translate
    if proof.get("state") != "measured":
        because = spoken(str(proof.get("because") or ""))
        said = tr("HarnessProof", "Not measured: nobody knows yet whether it helps.")
        return f"{said} {because[:1].upper()}{because[1:]}." if because else said
    low, high = (proof.get("interval") or [None, None])[:2]
    text = tr("HarnessProof", "{outcome}: on {n} recorded inputs {before} succeeded before and {after} after; "
                              "difference {gain}.")  # fmt: skip
    interval = (float(low), float(high)) if low is not None and high is not None and low < high else None
    before, after = proof.get("baseline"), proof.get("candidate")
    delta = None if before is None or after is None else float(after) - float(before)
    said = text.format(
        outcome=outcome_wording(str(proof.get("outcome"))).words,
        n=figures.whole(proof.get("n")),
        before=figures.percent(before),
        after=figures.percent(after),
        gain=figures.gain(delta, interval),
    )
    because = spoken(str(proof.get("because") or "").strip())
    return f"{said} {because}" if because else said


def _is_ticked(item: QTreeWidgetItem) -> bool:
    return item.checkState(0) == Qt.CheckState.Checked
