"""One harness folder: what it is, whether it is trusted, and its parts as tabs."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from honeyguide.desktop.pages.harness_desk import FolderView
from honeyguide.desktop.pages.harness_tabs import FailuresTab, ProposalsTab, VersionsTab
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.harness.locked_text import LockedLine, LockedText
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel, named

PARTS = ("versions", "failures", "proposals", "file")
"""The tabs, in their order."""


class FolderPanel(QWidget):
    """Shows a folder; what its buttons do is up to the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("harness-folder")
        self._path = ""
        self.versions = VersionsTab()
        self.failures = FailuresTab()
        self.proposals = ProposalsTab()
        self.file = LockedText("harness-file", self.tr("harness.yaml; lines with a padlock stay as they are"))
        self.heading = PlainLabel("", Type.TITLE, strong=True, wrap=False)
        self.heading.setObjectName("harness-name")
        self._about = ElidedLabel("", role=Role.TEXT_2)
        self._where = ElidedLabel("", Type.MONO, Role.TEXT_2, middle=True)
        self.problems = HintBar("", Severity.WARN, closable=False, name="harness-problems")
        self.trust_hint = HintBar("", Severity.INFO, closable=False, name="harness-trust-hint")
        self.working = HintBar("", Severity.INFO, closable=False, name="harness-working")
        self.run = Button(self.tr("Run once…"), "harness-run-open", icon="play")
        self.evolve = Button(self.tr("Draft a change…"), "harness-evolve-open", look=Look.PRIMARY, icon="plus")
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.GAP)
        buttons.addWidget(self.heading, 1)
        buttons.addWidget(self.run)
        buttons.addWidget(self.evolve)
        self.tabs = named(QTabWidget(), "harness-tabs", self.tr("About the harness"))
        self.tabs.setDocumentMode(True)
        for tab in (self.versions, self.failures, self.proposals, self.file):
            self.tabs.addTab(tab, "")
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, 0)
        column.setSpacing(Metrics.GRID)
        column.addLayout(buttons)
        for part in (self._about, self._where, self.problems, self.trust_hint, self.working):
            column.addWidget(part)
        column.addWidget(self.tabs, 1)
        self._name_tabs(0, 0)

    def show_folder(self, view: FolderView) -> None:
        """Show a folder; the same one again keeps what is compared."""
        about = view.overview
        if about.path != self._path:
            self._path = about.path
            self.versions.diff.hide()
        self.heading.set_text(one_line(about.name, 80))
        parts = [
            self.tr("version {version}").format(version=about.version),
            self.tr("evolved once") if about.evolved == 1 else "",
            self.tr("evolved {n} times").format(n=about.evolved) if about.evolved > 1 else "",
            one_line(about.description, 200),
        ]
        self._about.set_text(" · ".join(part for part in parts if part))
        self._where.set_text(about.path)
        problems = [spoken(str(problem.get("message") or "")) for problem in about.problems]
        self.problems.show_hint(" ".join(one_line(said, 200) for said in problems[:3]), Severity.WARN)
        look = view.look
        said = self.tr("A run would execute code of this folder: {reason}.").format(reason=spoken(look.reason))
        asks = look.executes_code and not look.is_trusted
        self.trust_hint.show_hint(said if asks else "", Severity.INFO, action=self.tr("Look at it and trust…"))
        self.evolve.set_allowed(look.can_evolve, self.tr("The folder switched drafting off."))
        self.versions.show_versions(view.versions)
        self.failures.show_overview(about)
        self.proposals.show_queue(about)
        self.file.set_lines([LockedLine(line.text, line.lock) for line in about.lines])
        self._name_tabs(len(about.clusters), sum(p.status == "pending" for p in about.proposals))

    def _name_tabs(self, failures: int, waiting: int) -> None:
        words = {
            "versions": self.tr("Versions"),
            "failures": self.tr("Failures"),
            "proposals": self.tr("Proposals"),
            "file": "harness.yaml",
        }
        counts = {"failures": failures, "proposals": waiting}
        for place, name in enumerate(PARTS):
            count = counts.get(name, 0)
            self.tabs.setTabText(place, f"{words[name]} {count}" if count else words[name])
