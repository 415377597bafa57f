"""Questions about harness folders: trust its code, apply a change, make a new folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit, QTreeWidget, QTreeWidgetItem, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace.harness_views import HarnessLook


class TrustDialog(Dialog):
    """Says what would be trusted, and that a run executes it with this person's access; the default is not to."""

    def __init__(self, look: HarnessLook, parent: QWidget | None) -> None:
        super().__init__("harness-trust", parent.tr("Trust its code") if parent else "", parent, wide=74, high=22)
        self.add_title(self.tr("Trust the code of {name}?").format(name=one_line(look.name, 60)))
        said = (
            self.tr("A run executes code of this folder with your access to files, network and programs; it is no "
                    "sandbox. Trust is given to these files as they are now: when one changes, it is asked again.")
            if look.executes_code
            else self.tr("Nothing in this folder executes code now. Trust is given to these files as they are; when "
                         "one changes, it is asked again.")
        )  # fmt: skip
        self.add_text(said, Role.TEXT_2)
        tree = named(QTreeWidget(), "harness-trust-files", self.tr("Files"))
        tree.setHeaderLabels([self.tr("File"), self.tr("Bytes")])
        tree.setRootIsDecorated(False)
        for name, size in look.files:
            tree.addTopLevelItem(QTreeWidgetItem([one_line(name, 200), figures.whole(size)]))
        tree.setColumnWidth(0, Metrics.characters(52))
        self.body.addWidget(tree, 1)
        self.body.addWidget(PlainLabel(one_line(look.path, 300), Type.MONO, Role.TEXT_2, selectable=True))
        self.body.addWidget(
            PlainLabel(self.tr("Content {digest}").format(digest=look.digest[:16]), Type.CAPTION, Role.TEXT_2)
        )
        self.add_cancel().setFocus()
        go = self.add_button(self.tr("Trust these files"), "harness-trust-go", icon="shield")
        go.clicked.connect(lambda _: self.accept())


class ApplyDialog(Dialog):
    """Says which files change and what was agreed to; the default is not to."""

    def __init__(
        self, path: str, version: str, paths: Sequence[str], agreed: Sequence[str], left: Sequence[str],
        proof: str, parent: QWidget | None,
    ) -> None:  # fmt: skip
        super().__init__("harness-apply", parent.tr("Apply a change") if parent else "", parent, wide=68)
        self.add_title(self.tr("Apply this change?"))
        self.add_text(
            self.tr("All files of it change together or none does; the state before is kept, and Go back brings it "
                    "back byte for byte."),
            Role.TEXT_2,
        )  # fmt: skip
        self.body.addWidget(PlainLabel(one_line(path, 300), Type.MONO, Role.TEXT_2, selectable=True))
        self.add_text(self.tr("Live now: version {version}").format(version=version), Role.TEXT_2)
        if paths:
            self.add_text(self.tr("Changes in harness.yaml: {paths}").format(paths=", ".join(paths)))
        if agreed:
            self.add_text(self.tr("You agreed to: {parts}").format(parts=", ".join(agreed)))
        if left:
            self.add_text(self.tr("Stays waiting, not agreed to: {parts}").format(parts=", ".join(left)), Role.WARN)
        if proof:
            self.add_text(proof, Role.TEXT_2)
        self.body.addStretch(1)
        self.add_cancel().setFocus()
        go = self.add_button(self.tr("Apply"), "harness-apply-go", icon="deploy")
        go.clicked.connect(lambda _: self.accept())


class NewHarnessDialog(Dialog):
    """Name, purpose and first prompt of a new folder; what was typed is lost only when it was made."""

    def __init__(self, folder: Path, parent: QWidget | None) -> None:
        super().__init__("harness-new", parent.tr("New harness") if parent else "", parent, wide=66)
        self.add_title(self.tr("A new harness"))
        self.add_text(self.tr("It is made in a folder of its own below this one:"), Role.TEXT_2)
        self.body.addWidget(PlainLabel(one_line(str(folder), 300), Type.MONO, Role.TEXT_2, selectable=True))
        self._folder = folder
        self._name = named(QLineEdit(), "harness-new-name", self.tr("Name"))
        self._name.setMaxLength(80)
        self._about = named(QLineEdit(), "harness-new-about", self.tr("What it is for"))
        self._about.setMaxLength(400)
        self._prompt = named(QPlainTextEdit(), "harness-new-prompt", self.tr("System prompt"))
        self._prompt.setTabChangesFocus(True)
        self._prompt.setMinimumHeight(Metrics.row_height() * 4)
        form = QFormLayout()
        form.setVerticalSpacing(Metrics.GAP)
        form.addRow(self.tr("Name"), self._name)
        form.addRow(self.tr("What it is for"), self._about)
        form.addRow(self.tr("System prompt"), self._prompt)
        self.body.addLayout(form)
        self.add_cancel(is_default=False)
        self._go = self.add_button(self.tr("Make it"), "harness-new-go", look=Look.PRIMARY)
        self._go.clicked.connect(lambda _: self.accept())
        self._name.textChanged.connect(lambda _: self._judge())
        self._prompt.textChanged.connect(self._judge)
        self._name.setFocus()
        self._judge()

    def values(self) -> Mapping[str, Any]:
        """Return folder, name, description and prompt."""
        name = self._name.text().strip()
        return {
            "path": self._folder / name.replace(" ", "-"),
            "name": name,
            "description": self._about.text().strip(),
            "prompt": self._prompt.toPlainText().strip(),
        }

    def _judge(self) -> None:
        reason = ""
        if not self._name.text().strip():
            reason = self.tr("Give it a name first.")
        elif not self._prompt.toPlainText().strip():
            reason = self.tr("Write a prompt first.")
        self._go.set_allowed(not reason, reason)
