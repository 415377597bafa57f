"""What is not proven yet can be measured further from the review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from honeyguide.workspace import Origin, RunOptions
from tests.desktop.drivers import AppDriver, find, focus, keys, press, until


def test_the_evidence_of_an_undecided_proposal_goes_on_by_a_key(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        workspace = app.desk.workspace
        live = workspace.active_prompt("persona-system-prompt", "writer")
        found = await workspace.evolve(
            "writer", RunOptions(preset="quick", candidate_text=live + " ", min_delta=-1), origin=Origin.here()
        )
        await app.inbox.review_of("writer", "proposed")
        panel = app.inbox.page.review
        hint = find(panel, "review-continue")
        assert hint.isVisible()
        await focus(app.inbox.page.table)
        keys(app.inbox.page.table, "m")
        dialog = await app.dialog("continue-dialog")
        press(find(dialog, "continue-dialog-go"))
        await app.gone(dialog)

        async def measured() -> int:
            return int((await workspace.run(found.uuid)).verification["n"])

        await until(lambda: panel.review is not None and panel.review.detail.verification["n"] == 31, "31 cases")
        assert await measured() == 31
        await app.close()

    qloop.run(story(), timeout=60)
