"""What is not proven yet can be measured further from the review."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QPlainTextEdit

from honeyguide.workspace import Origin, RunOptions
from tests.desktop.drivers import AppDriver, find, focus, key, keys, press, until


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


def test_answers_are_graded_by_keyboard_and_the_judge_takes_its_exam(
    qapp: QApplication, qloop: Any, proposed: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        assert app.window.trigger("judge-exam")
        dialog: Any = await app.dialog("exam-dialog")
        answer, said = find(dialog, "exam-actual", QPlainTextEdit), find(dialog, "exam-said")
        await until(lambda: answer.toPlainText(), "an answer")
        assert not find(dialog, "exam-take").isEnabled()
        for number in range(24):
            is_good = number % 2 == 1  # good and bad ones come by turns
            keys(answer, "g" if is_good else "b")
            await asyncio.sleep(0)
        keys(answer, "z")
        assert "Answer 24 of" in said.text() and "graded good" in said.text()
        keys(answer, "b")
        await until(lambda: find(dialog, "exam-take").isEnabled(), "enough grades")
        workspace = app.desk.workspace

        async def kept() -> int:
            return len(await workspace.graded_answers())

        while await kept() < 24:
            await asyncio.sleep(0.02)
        press(find(dialog, "exam-take"))
        result = find(dialog, "exam-result", QPlainTextEdit)
        await until(lambda: "kappa" in result.toPlainText(), "the result")
        assert (await workspace.last_judge_exam()).report["n"] == 24
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)
        await app.close()

    qloop.run(story(), timeout=60)


def test_chosen_traces_run_again_on_two_versions(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        page = app.go("traces")
        await until(lambda: page.table.current_key() is not None, "a trace")
        assert page.model.row_of(page.table.current_key()).target == "support"
        assert app.window.trigger("replay-traces"), app.window.reason_against("replay-traces")
        dialog: Any = await app.dialog("replay-dialog")
        go = find(dialog, "replay-go")
        await until(go.isEnabled, "the versions")
        assert find(dialog, "replay-right", QComboBox).count() >= 2
        press(go)
        said = find(dialog, "replay-said")
        await until(lambda: "2 calls" in said.text(), "two calls")
        press(go)
        await until(lambda: "0 calls, 2 from the journal" in said.text(), "nothing paid again")
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)
        await app.close()

    qloop.run(story(), timeout=60)
