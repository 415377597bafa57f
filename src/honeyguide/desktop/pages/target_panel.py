"""One target: its live text, its versions, and whether each deployment helped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTabWidget, QVBoxLayout, QWidget

from honeyguide.desktop.models.watch import WatchModel, watch_line
from honeyguide.desktop.pages.target_text import TargetText
from honeyguide.desktop.rows import version_row
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.outcomes import kind_wording
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.diff import DiffPanel
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel, named
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.desktop.widgets.version_timeline import VersionTimeline

if TYPE_CHECKING:
    from honeyguide.workspace import TargetDetail, VersionList, WatchReport


@dataclass(frozen=True, slots=True)
class About:
    """What the page shows of one target."""

    detail: TargetDetail
    versions: VersionList
    runs: dict[str, Any]
    watch: WatchReport


class TargetPanel(QWidget):
    """Shows a target; what its buttons do is up to the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("target-detail")
        self._about: About | None = None
        self.text = TargetText()
        self.timeline = VersionTimeline()
        self.diff = DiffPanel()
        self.diff.set_editable(False)
        self.helped = HintBar("", Severity.INFO, closable=False, name="target-helped")
        self.watched = WatchModel(self)
        self.watch_table = DataTable("target-watch", self.tr("What people did before and after each deployment"),
                                     self.watched)  # fmt: skip
        self.watch_stack = StateStack(self.watch_table)
        self.heading = PlainLabel("", Type.TITLE, strong=True, wrap=False)
        self.heading.setObjectName("target-name")
        self.about_line = ElidedLabel("", role=Role.TEXT_2)
        self.path_line = ElidedLabel("", Type.MONO, Role.TEXT_2, middle=True)
        self.outside = HintBar("", Severity.WARN, closable=False, name="target-outside", action="")
        self.bak = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self.new_run = Button(self.tr("New run…"), "target-new-run", look=Look.PRIMARY, icon="plus")
        self.back_up = Button(self.tr("Back up now…"), "target-back-up", icon="backup")
        self.roll_back = Button(self.tr("Roll back…"), "target-roll-back", icon="rollback")
        choices = FlowLayout()
        for button in (self.back_up, self.roll_back, self.new_run):
            choices.addWidget(button)
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.GAP_2)
        buttons.addWidget(self.heading)
        buttons.addLayout(choices, 1)
        versions = QSplitter(Qt.Orientation.Vertical)
        versions.setChildrenCollapsible(False)
        versions.addWidget(self.timeline)
        versions.addWidget(self.diff)
        self.diff.hide()
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, Metrics.GAP, 0, 0)
        column.setSpacing(Metrics.GRID)
        for part in (self.helped, self.bak):
            column.addWidget(part)
        column.addWidget(versions, 1)
        self.version_stack = StateStack(holder)
        self.tabs = named(QTabWidget(), "target-tabs", self.tr("About the target"))
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.text, self.tr("Live text"))
        self.tabs.addTab(self.version_stack, self.tr("Versions"))
        self.tabs.addTab(self.watch_stack, self.tr("Did it help"))
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, 0)
        column.setSpacing(Metrics.GRID)
        column.addLayout(buttons)
        column.addWidget(self.about_line)
        column.addWidget(self.path_line)
        column.addWidget(self.outside)
        column.addWidget(self.tabs, 1)

    def show_target(self, about: About, no_way_back: str) -> None:
        """Show a target; ``no_way_back`` says why it cannot be rolled back. The same one keeps what is compared."""
        is_other = self._about is None or self._about.detail.row.ref != about.detail.row.ref
        self._about = about
        row = about.detail.row
        self.heading.set_text(row.title or row.ref.name)
        parts = [
            kind_wording(row.ref.kind.value).words,
            row.description,
            self.tr("changes together with {names}").format(names=", ".join(_name(other) for other in row.together))
            if row.together
            else "",
            figures.counted(row.traces, self.tr("1 trace"), self.tr("{n} traces")),
        ]
        self.about_line.set_text(" · ".join(part for part in parts if part))
        self.path_line.set_text(about.versions.path)
        self.text.show_target(about.detail)
        self.timeline.set_versions(version_row(v, about.versions.bak, about.runs) for v in about.versions.versions)
        outside = self.tr("The live text was edited outside of Honeyguide; Back up now keeps it as a version.")
        self.outside.show_hint(outside if about.versions.edited_outside else "", Severity.WARN)
        self.bak.set_text(
            self.tr("The version before also lies beside it as {name}.").format(name=about.versions.bak)
            if about.versions.bak
            else ""
        )
        self.bak.setVisible(bool(about.versions.bak))
        self._show_watch(about.watch)
        has_versions = bool(about.versions.versions)
        if has_versions:
            self.version_stack.show_content()
        else:
            self.version_stack.show_empty(
                self.tr("No version yet"),
                self.tr("The first deploy keeps the text that was there before. You can also back it up now."),
                [StateAction("back-up", self.tr("Back up now…"), "backup")],
                icon="backup",
            )
        self.roll_back.set_allowed(not no_way_back, no_way_back)
        if is_other or not has_versions:
            self.diff.set_rows(())
            self.diff.hide()

    def _show_watch(self, watch: WatchReport) -> None:
        self.watched.set_rows(
            watch_line(row.details, spoken(row.verdict), row.suggests_rollback) for row in reversed(watch.deployments)
        )
        if not watch.deployments:
            self.helped.show_hint("")
            self.watch_stack.show_empty(
                self.tr("Nothing deployed yet"),
                self.tr("After a deployment, how often people correct the agent or give up is compared here, before "
                        "and after."),
                icon="chart",
            )  # fmt: skip
            return
        self.watch_stack.show_content()
        last = watch.deployments[-1]
        severity = Severity.WARN if last.suggests_rollback else Severity.INFO
        said = self.tr("Did version {n} help? {verdict}").format(n=last.n, verdict=spoken(last.verdict))
        self.helped.show_hint(said, severity, action=self.tr("Roll back…") if last.suggests_rollback else "")


def _name(target: str) -> str:
    return target.partition(":")[2]
