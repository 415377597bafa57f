"""Why something cannot be done to the run under review; an empty text when it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.pages.review_head import open_words

if TYPE_CHECKING:
    from honeyguide.desktop.pages.review import ReviewPanel


class ReviewReasons:
    """Looks at what the panel shows."""

    def __init__(self, panel: ReviewPanel) -> None:
        self._panel = panel

    def none(self) -> str:
        """Any run will do."""
        return "" if self._panel.review is not None else _tr("Choose a run first.")

    def status(self, status: str) -> str:
        """The run must be in this state."""
        review = self._panel.review
        if review is None:
            return _tr("Choose a run first.")
        if review.detail.status == status:
            return ""
        return {
            "proposed": _tr("This run is not a proposal that waits."),
            "running": _tr("This run is not running."),
            "deployed": _tr("This run is not deployed."),
        }[status]

    def accept(self) -> str:
        """It must be a proposal that may be accepted."""
        button = self._panel.decision.accept
        return self.status("proposed") or ("" if button.isEnabled() else button.accessibleDescription())

    def try_it(self) -> str:
        """There must be a proposed text."""
        review = self._panel.review
        if review is None or review.detail.run is None:
            return _tr("There is no proposed text to try.")
        return ""

    def resume(self) -> str:
        """It must have been interrupted."""
        review = self._panel.review
        if review is None:
            return _tr("Choose a run first.")
        return "" if review.detail.can_resume else _tr("This run was not interrupted.")

    def retry(self) -> str:
        """A deploy must have failed."""
        review = self._panel.review
        if review is None or review.detail.run is None or review.detail.status != "failed":
            return _tr("No deploy failed here.")
        return ""

    def more(self) -> str:
        """Its evidence must be open."""
        review = self._panel.review
        if review is None or not open_words(self._panel, review.detail):
            return _tr("The evidence of this run is not open.")
        return ""

    def changes(self) -> str:
        """There must be changes to look at."""
        return "" if self._panel.changes.diff.view.hunks() else _tr("There are no changes to look at.")


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReviewPanel", text)
