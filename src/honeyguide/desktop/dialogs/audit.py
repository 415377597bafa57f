"""What the audit says of the prompts that were looked at; it can be kept as a page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QTreeWidget, QTreeWidgetItem, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import block, one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import named

if TYPE_CHECKING:
    from honeyguide.workspace import AuditReport

MOST = 5000


class AuditDialog(Dialog):
    """The findings; choosing one says why it matters and what a safe fix would be."""

    def __init__(self, report: AuditReport, parent: QWidget | None) -> None:
        super().__init__("audit-dialog", parent.tr("Audit") if parent else "", parent, wide=104, high=34)
        self._report = report
        counts = report.counts
        self.add_title(self.tr("What the audit says"))
        said = self.tr(
            "{files} files: {errors} errors, {warnings} warnings, {infos} notes. Nothing was changed, nothing sent."
        )
        self.add_text(
            said.format(
                files=figures.whole(report.files), errors=figures.whole(counts.get("error", 0)),
                warnings=figures.whole(counts.get("warning", 0)), infos=figures.whole(counts.get("info", 0)),
            ),
            Role.TEXT_2,
        )  # fmt: skip
        self._tree = named(QTreeWidget(), "audit-tree", self.tr("Findings"))
        self._tree.setHeaderLabels([self.tr("Severity"), self.tr("What"), self.tr("Where")])
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        words = {"error": self.tr("error"), "warning": self.tr("warning"), "info": self.tr("note")}
        for finding in report.findings[:MOST]:
            self._tree.addTopLevelItem(
                QTreeWidgetItem(
                    [
                        words.get(finding.severity, finding.severity),
                        one_line(spoken(finding.message), 300),
                        finding.place,
                    ]
                )
            )
        self._tree.setColumnWidth(0, Metrics.characters(12))
        self._tree.setColumnWidth(1, Metrics.characters(58))
        self._tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self._tree, 3)
        self._why = named(QPlainTextEdit(), "audit-why", self.tr("About the finding"))
        self._why.setReadOnly(True)
        self._why.setFont(Metrics.font(Type.PROSE))
        self.body.addWidget(self._why, 2)
        self._tree.currentItemChanged.connect(lambda *_: self._describe())
        if report.findings:
            self._tree.setCurrentIndex(self._tree.model().index(0, 0))
        export = self.add_button(self.tr("Keep as a page…"), "audit-export", icon="export", left=True)
        export.clicked.connect(lambda: asyncio.get_running_loop().create_task(self._export()))
        close = self.add_button(self.tr("Close"), "audit-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(self.accept)

    def _describe(self) -> None:
        row = self._tree.currentIndex().row()
        if row < 0:
            return
        finding = self._report.findings[row]
        parts = [spoken(finding.message), spoken(finding.why)]
        if finding.fix:
            parts.append(self.tr("A safe fix: {fix}").format(fix=spoken(finding.fix)))
        if finding.before or finding.after:
            parts.append(f"− {finding.before}\n+ {finding.after}")
        parts += [f"{path}:{line}  {text}" for path, line, text in finding.quotes]
        self._why.setPlainText(block("\n\n".join(part for part in parts if part)))

    async def _export(self) -> None:
        from honeyguide.desktop.dialogs.files import ask_save

        path = await ask_save(self, self.tr("Keep the audit as a page"), "audit.html", ("html",))
        if path is not None:
            await asyncio.to_thread(path.write_text, self._report.to_html(), encoding="utf-8")
