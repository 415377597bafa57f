"""Changes that earned nothing on the cases of the search are offered for leaving out, and left out by one press."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from honeyguide.workspace import Origin, RunOptions
from tests.desktop.drivers import AppDriver, find, press, until


def test_what_earns_nothing_is_left_out_by_one_press(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        workspace = app.desk.workspace
        live = (await workspace.target("writer")).text
        first, *rest = live.splitlines()
        given = "\n".join([f"{first} Think of the whole.", *rest, "- Every text starts with a title."])
        options = RunOptions(candidate_text=given, ablate=True, allow_safe=True)
        await workspace.evolve("writer", options, origin=Origin.here())
        await app.inbox.review_of("writer", "proposed")
        panel = app.inbox.page.review
        bar: Any = find(panel, "review-idle")
        await until(lambda: "earned nothing" in bar.text, "the offer")
        assert bar.text.endswith(": 1.")
        press(find(panel, "review-idle-action"))
        assert panel.changes.selection(panel.review.detail.uuid) == [2]
        assert not bar.isVisible()
        await until(lambda: "1 of 2" in panel.decision.accept.text(), "the words of a selection")
        await until(panel.decision.accept.isEnabled, "the checks")
        press(panel.decision.accept)
        dialog = await app.dialog("accept-dialog")
        await until(find(dialog, "accept-go").isEnabled, "what goes live")
        press(find(dialog, "accept-go"))
        kind = "persona-system-prompt"
        await until(lambda: "Every text starts with a title." in workspace.active_prompt(kind, "writer"), "the deploy")
        assert "Think of the whole" not in workspace.active_prompt(kind, "writer")
        await app.close()

    qloop.run(story(), timeout=60)
