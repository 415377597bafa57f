"""Texts that change together, by clicks: ticked for one run, reviewed one by one, live and back in one step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.desktop.drivers import AppDriver, NewRunDriver, find, press, until

PERSONA, TOOL = "persona-system-prompt", "tool-description"


def texts(app: AppDriver) -> list[str]:
    workspace = app.desk.workspace
    return [workspace.active_prompt(PERSONA, "support"), workspace.active_prompt(TOOL, "search_orders")]


def words_of(dialog: Any) -> str:
    return "\n".join(label.raw_text() for label in dialog.findChildren(QWidget) if hasattr(label, "raw_text"))


async def _new_run(app: AppDriver) -> None:
    app.press("inbox-new-run")
    dialog: Any = await app.dialog("new-run")
    run = NewRunDriver(dialog)
    await run.choose("support")
    offered = find(dialog, "new-run-together")
    await until(offered.count, "the other targets")
    item = next(
        offered.item(row) for row in range(offered.count()) if offered.item(row).text().startswith("search_orders")
    )
    item.setCheckState(Qt.CheckState.Checked)
    await until(lambda: dialog.planning.report and dialog.planning.report.together, "the plan for both")
    assert dialog.planning.report.together == (f"{TOOL}:search_orders",)
    find(dialog, "new-run-together-keep").setChecked(True)
    await run.start()
    await run.finish()
    await app.gone(dialog)


def test_two_texts_are_reviewed_one_by_one_and_go_live_and_back_in_one_step(
    qapp: QApplication, qloop: Any, sample: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        before = texts(app)
        await _new_run(app)
        review = await app.inbox.review_of("support", "proposed")
        panel = app.inbox.page.review
        changes, choice = panel.changes, find(panel, "review-texts")
        assert choice.isVisible()
        assert [choice.tabText(n).split(" ")[0] for n in range(choice.count())] == ["support", "search_orders"]
        every = len(review.diff.hunks)
        shown = [text.view for text in review.diff.texts]
        assert set(changes.diff.view.hunks()) == {hunk.n for hunk in shown[0].hunks}

        app.window.trigger("diff-rendered")
        rendered = changes.diff.rendered
        for number in (1, 0):
            choice.setCurrentIndex(number)
            assert rendered.isVisible()
            shown_now = rendered.after.toPlainText().split()
            assert [word for word in shown_now if word.isalpha()], "a text"
            assert rendered.before._text == shown[number].before
            assert rendered.after._text == shown[number].after
        app.window.trigger("diff-rendered")
        assert changes.diff.view.isVisible()

        changes.diff.view.set_included(())
        choice.setCurrentIndex(1)
        assert set(changes.diff.view.hunks()) == {hunk.n for hunk in shown[1].hunks}
        assert changes.selection(review.detail.uuid) == [hunk.n + len(shown[0].hunks) for hunk in shown[1].hunks]
        choice.setCurrentIndex(0)
        assert changes.ticked() == (len(shown[1].hunks), every), "ticks of the other text stay"
        changes.diff.view.set_included(changes.diff.view.hunks())
        await until(find(panel, "decision-accept").isEnabled, "the checks of both texts")

        app.press("decision-accept")
        dialog = await app.dialog("accept-dialog")
        said = words_of(dialog)
        for file in ("support.json", "search_orders.json"):
            assert file in said
        assert "All of these files change, or none of them." in said
        press(find(dialog, "accept-go"))
        await app.inbox.review_of("support", "deployed")
        assert texts(app) == [view.after for view in shown]
        assert "search_orders" in app.said()

        app.press("decision-rollback")
        dialog = await app.dialog("rollback-dialog")
        assert "In the same step search_orders goes back" in words_of(dialog)
        press(find(dialog, "rollback-dialog-go"))
        await until(lambda: texts(app) == before, "both old texts")
        await app.gone(dialog)

        targets = app.go("targets")
        await until(lambda: targets.model.total, "the targets")
        targets.show_item(f"{TOOL}:search_orders")
        await until(lambda: len(targets.timeline.model.versions()) == 3, "three versions")
        assert targets.timeline.model.versions()[1].together == ("support 2",)
        detail = await app.desk.workspace.target("support")
        assert detail.row.together == (f"{TOOL}:search_orders",)
        await app.close()

    qloop.run(story(), timeout=90)


def test_an_edit_of_one_text_leaves_the_other_as_proposed(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        await _new_run(app)
        review = await app.inbox.review_of("support", "proposed")
        panel = app.inbox.page.review
        changes, choice = panel.changes, find(panel, "review-texts")
        proposed = [text.view.after for text in review.diff.texts]
        choice.setCurrentIndex(1)
        changes.begin_edit()
        mine = proposed[1].replace("An empty result is an answer too: say so.", "An empty result is an answer.")
        changes.diff.editor.finished.emit(mine)
        assert list(review.diff.wordings(changes.edited).values()) == [proposed[0], mine]
        choice.setCurrentIndex(0)
        choice.setCurrentIndex(1)
        await until(find(panel, "decision-accept").isEnabled, "the checks of the edit")
        app.press("decision-accept")
        dialog = await app.dialog("accept-dialog")
        press(find(dialog, "accept-go"))
        await app.inbox.review_of("support", "deployed")
        assert texts(app) == [proposed[0], mine]
        await app.close()

    qloop.run(story(), timeout=90)
