"""What an import found, file by file: what came in, and what could not be used and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.theme.code_words import health_words
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import named

if TYPE_CHECKING:
    from honeyguide.workspace import ImportReport

MOST_FILES = 2000


class ImportReportDialog(Dialog):
    """The health report.

    Attributes:
        chosen: a file that no reader knew and that the person wants to read all the same; ``None`` without one.
        reason: why it could not be read.
    """

    def __init__(self, report: ImportReport, parent: QWidget | None) -> None:
        title = parent.tr("What was imported") if parent else ""
        super().__init__("import-report", title, parent, wide=92, high=28)
        self.add_title(title)
        whole = figures.whole
        said = self.tr("{n} traces came in, {known} were known, {updated} were brought up to date; {corrections} "
                       "corrections suggested; {secrets} secrets replaced.")  # fmt: skip
        self.add_text(
            said.format(
                n=whole(report.imported), known=whole(report.known), updated=whole(report.updated),
                corrections=whole(report.corrections), secrets=whole(sum(report.redactions.values())),
            )
        )  # fmt: skip
        tree = named(QTreeWidget(), "import-files", self.tr("Files"))
        tree.setHeaderLabels(
            [self.tr("File"), self.tr("Read as"), self.tr("Traces"), self.tr("What could not be used")]
        )
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        files = sorted(report.files, key=lambda file: not (file.message or file.health))
        for file in files[:MOST_FILES]:
            trouble = spoken(file.message) or "; ".join(self._problem(problem) for problem in file.health)
            if file.unchanged and not trouble:
                trouble = self.tr("unchanged since the last import")
            columns = [one_line(file.path, 400), file.source or "–", whole(file.traces), one_line(trouble, 400)]
            item = QTreeWidgetItem(columns)
            item.setData(0, Qt.ItemDataRole.UserRole, file.path if file.source is None and file.message else "")
            item.setToolTip(0, file.path)
            item.setToolTip(3, trouble)
            tree.addTopLevelItem(item)
        tree.setColumnWidth(0, Metrics.characters(44))
        tree.setColumnWidth(1, Metrics.characters(14))
        tree.setColumnWidth(2, Metrics.characters(9))
        self.body.addWidget(tree, 1)
        if len(files) > MOST_FILES:
            self.add_text(self.tr("and {n} more files").format(n=whole(len(files) - MOST_FILES)), Role.TEXT_2)
        self._tree = tree
        self.chosen: Path | None = None
        self.reason = ""
        self._read_as = self.add_button(
            self.tr("Choose how to read it…"), "import-report-read-as", icon="columns", left=True
        )
        self._read_as.clicked.connect(lambda _: self._on_read_as())
        tree.currentItemChanged.connect(lambda *_: self._judge())
        self._judge()
        close = self.add_button(self.tr("Close"), "import-report-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(self.accept)

    def _judge(self) -> None:
        item = self._tree.currentItem()
        path = str(item.data(0, Qt.ItemDataRole.UserRole) or "") if item is not None else ""
        self._read_as.set_allowed(bool(path), self.tr("Choose a file in the list that no reader knows."))

    def _on_read_as(self) -> None:
        item = self._tree.currentItem()
        if item is not None:
            self.chosen, self.reason = Path(str(item.data(0, Qt.ItemDataRole.UserRole))), item.text(3)
            self.accept()

    def _problem(self, problem: object) -> str:
        if not isinstance(problem, dict):
            return ""
        lines = ", ".join(str(line) for line in problem.get("lines", ())[:6])
        name = health_words(str(problem.get("problem", "")))
        said = self.tr("{problem}, {n} times").format(problem=name, n=problem.get("count", 1))
        return said + (self.tr(" (lines {lines})").format(lines=lines) if lines else "")
