"""Going back to an earlier version of a harness: one confirmation, with every file's difference in sight."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.harness.file_diffs import ComparedFile, FileDiffs


class HarnessRollbackDialog(Dialog):
    """The default is not to."""

    def __init__(
        self, name: str, files: Sequence[ComparedFile], versions: tuple[str, str], parent: QWidget | None
    ) -> None:
        """``versions`` are the live one and the one to go back to."""
        super().__init__("harness-rollback", parent.tr("Go back") if parent else "", parent, wide=96, high=30)
        live, wanted = versions
        self.add_title(
            self.tr("Bring version {version} of {name} back?").format(version=wanted, name=one_line(name, 60))
        )
        self.add_text(
            self.tr("Its files come back byte for byte. Version {live} is kept, so you can return to it.").format(
                live=live
            ),
            Role.TEXT_2,
        )
        diffs = FileDiffs("harness-rollback-diff")
        diffs.set_files(files, (self.tr("Live now"), self.tr("Then")))
        diffs.setMinimumHeight(Metrics.row_height() * 7)
        self.body.addWidget(diffs, 1)
        self.add_cancel().setFocus()
        go = self.add_button(self.tr("Go back"), "harness-rollback-go", look=Look.PRIMARY, icon="rollback")
        go.clicked.connect(lambda _: self.accept())
