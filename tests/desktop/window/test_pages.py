"""Every page, dialog and action of the window, reached as a person reaches them; hostile content; closing."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QLineEdit, QTabBar, QTreeWidget, QWidget

from honeyguide.desktop.actions import Reach, actions
from honeyguide.desktop.application import Application
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.window import SMALLEST, Window
from honeyguide.workspace import RunOptions, Workspace
from tests.desktop.drivers import AppDriver, find, focus, key, keys, press, until

HOSTILE = (
    "<b>bold</b><script>alert(1)</script><img src=x onerror=alert(1)>",
    "a" * 1_000_000,
    "\u202egnp.exe \u2066hidden\u2069 \u200b",
    "שלום עולם مرحبا",
    "\x00\x07\x1b[31m\x7f",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
)
PAGES = ("inbox", "traces", "corrections", "targets", "feedback", "harnesses", "flows", "settings")
DIALOGS = {
    "new-run": "new-run", "connect-model": "connect-model-dialog", "find-agents": "find-agents-dialog",
    "palette": "palette", "shortcuts": "shortcuts-dialog", "doctor": "doctor-dialog", "about": "about-dialog",
    "welcome": "welcome-dialog", "import-traces": "file-dialog", "add-target": "file-dialog",
    "open-workspace": "file-dialog", "open-review": "file-dialog",
    "accept": "accept-dialog", "reject": "reject-dialog", "try": "try-dialog",
    "export-run": "file-dialog", "export-rows": "file-dialog", "back-up": "backup-dialog",
}  # fmt: skip


def test_every_page_opens_by_its_key_and_every_dialog_closes_by_escape(
    qapp: QApplication, qloop: Any, proposed: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")
        for number, page in enumerate(PAGES, 1):
            await app.come_forward()
            key(app.window, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier)
            await until(lambda page=page: app.window.front == page, page)
            await asyncio.sleep(0.05)
            assert app.window.focusWidget() is not None
        app.window.trigger("back")
        assert app.window.front == "flows"
        app.go("inbox")
        for action, name in DIALOGS.items():
            assert app.window.trigger(action), f"{action}: {app.window.reason_against(action)}"
            dialog = await app.dialog(name)
            await asyncio.sleep(0.05)
            key(dialog, Qt.Key.Key_Escape)
            await app.gone(dialog)
        await app.close()

    qloop.run(story(), timeout=90)


def test_the_end_of_background_work_on_a_flow_is_told(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        store = app.desk.workspace._core.store
        for status, words in (("completed", "is done"), ("failed", "without a result")):
            await store.write(lambda unit, s=status: unit.events.append("flow:job-finished", "evj_1", status=s, run=""))  # type: ignore[misc]
            await until(lambda words=words: words in app.said(), words)
        await app.close()

    qloop.run(story(), timeout=60)


def test_every_action_is_carried_out_somewhere_and_every_control_has_a_name(
    qapp: QApplication, qloop: Any, proposed: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")
        handled: set[str] = set()
        for page in PAGES:
            app.window.show_page(page)
            await asyncio.sleep(0.1)
            _assert_named(app.window.page(page))
            for action in actions():
                handler = app.window.handler(action.id)
                if handler is not None:
                    handled.add(action.id)
                    assert isinstance(app.window.reason_against(action.id), str)
        missing = {action.id for action in actions()} - handled
        assert not missing, missing
        app.window.show_page("harnesses")
        lone = next(a.id for a in actions() if a.reach is Reach.PAGE)
        assert app.window.reason_against(lone)
        assert not app.window.trigger(lone) and app.said()
        await app.close()

    qloop.run(story(), timeout=60)


def _assert_named(page: QWidget) -> None:
    """Every control can be found by a test and read by a screen reader."""
    for widget in page.findChildren(QAbstractButton):
        is_part = isinstance(widget.parent(), QLineEdit | QTabBar) or widget.objectName().startswith("qt_")
        if widget.isVisible() and not is_part:
            assert widget.objectName(), f"{page.objectName()}: {widget} {widget.text()}"
            assert widget.accessibleName() or widget.text(), f"{page.objectName()}: {widget.objectName()}"


def test_the_welcome_leads_with_one_press_to_a_finished_proposal(
    qapp: QApplication, qloop: Any, tmp_path: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, tmp_path / "new").start(ready=False)
        await until(lambda: app.window.findChild(QWidget, "welcome-sample") is not None, "the welcome")
        assert not (tmp_path / "new").exists(), "something was made before anybody chose"
        app.press("welcome-sample")
        await until(app.application.ready.is_set, "the sample")
        await until(lambda: app.inbox.states.get("support") == "proposed", "a proposal")
        await app.inbox.review_of("support", "proposed")
        await app.close()

    qloop.run(story(), timeout=90)


def test_find_my_agents_reads_nothing_before_it_is_ticked_and_then_all_that_it_counted(
    qapp: QApplication, qloop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name, text in {
        ".claude/skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets people.\n---\n\nGreet by name.\n",
        ".claude/output-styles/short.md": "---\nname: short\ndescription: Short.\n---\n\nKeep answers short.\n",
        ".claude/projects/shop/one.jsonl": "{}\n",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    opened: list[str] = []

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(str(home)):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)

    async def story() -> None:
        app = await AppDriver(qapp, tmp_path / "new").start(ready=False)
        await until(lambda: app.window.findChild(QWidget, "welcome-agents") is not None, "the welcome")
        app.press("welcome-agents")
        dialog = await app.dialog("find-agents-dialog")
        tree = find(dialog, "agents-tree", QTreeWidget)
        await until(lambda: tree.topLevelItemCount() == 3, "what was found")
        assert not opened, "something was read before it was ticked"
        await focus(tree)
        for _ in range(2):  # the two shelves of prompts; the history stays unread
            key(tree, Qt.Key.Key_Space)
            key(tree, Qt.Key.Key_Down)
        press(find(dialog, "agents-go"))
        audit = await app.dialog("audit-dialog")
        names = {row.ref.name for row in await app.desk.workspace.targets()}
        assert {"greet", "short"} <= names
        assert not [path for path in opened if path.endswith(".jsonl")]
        key(audit, Qt.Key.Key_Escape)
        await app.gone(audit)
        await app.close()

    qloop.run(story(), timeout=90)


def test_a_folder_that_cannot_be_opened_says_why(qapp: QApplication, qloop: Any, tmp_path: Path) -> None:
    async def story() -> None:
        (tmp_path / "honeyguide.db").write_bytes(b"this is no database" * 100)
        app = await AppDriver(qapp, tmp_path).start(ready=False)
        await until(lambda: app.window.waiting.kind == "error", "the error")
        assert find(app.window, "state-again").isVisible() and find(app.window, "state-other").isVisible()
        await app.close()

    qloop.run(story(), timeout=60)


def test_files_dropped_on_the_traces_are_imported_and_shown_as_text(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    lines = [
        {"messages": [{"role": "user", "content": text[:50_000]}, {"role": "assistant", "content": text[:50_000]}]}
        for text in HOSTILE
    ]
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(lines), encoding="utf-8")

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("traces")
        await until(lambda: page.model.total, "the traces")
        before = page.model.total
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(file))])
        event = QDropEvent(
            QPointF(50, 50), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
        page.dropEvent(event)
        await until(lambda: not page.imports.is_running and app.said(), "the import to end")
        await until(lambda: page.model.total == before + len(HOSTILE), "the list")
        for row in page.model.known_rows()[:10]:
            page.table.select_key(row.id)
            await asyncio.sleep(0.12)
            page.grab()
        for label in page.findChildren(QLabel):
            assert label.textFormat() == Qt.TextFormat.PlainText, label.text()[:80]
        await app.close()

    qloop.run(story(), timeout=90)


def test_a_file_that_no_reader_knows_is_imported_by_its_columns(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    table = tmp_path / "chat.csv"
    table.write_text("Kundin sagt;Bot sagte;Nr\nWo ist mein Paket bitte?;Unterwegs.;1\n", encoding="cp1252")

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("traces")
        await until(lambda: page.model.total, "the traces")
        total = page.model.total
        page.import_paths([table])
        dialog = await app.dialog("import-as")
        assert "No" in find(dialog, "import-as-why").accessibleName()
        await until(lambda: find(dialog, "import-as-columns").topLevelItemCount() == 3, "its columns")
        go = find(dialog, "import-as-go")
        assert not go.isEnabled() and "asked" in go.toolTip()
        field = find(dialog, "import-as-field-0")
        field.setCurrentIndex(field.findData("input"))
        assert go.isEnabled()
        target = find(dialog, "import-as-target")
        target.setCurrentIndex(target.findData("persona-system-prompt:support"))
        press(go)
        await app.gone(dialog)
        await until(lambda: page.model.total == total + 1, "the new trace")
        source = page.filters.source
        await until(lambda: source.findData("table") > 0, "its source among the filters")
        assert source.itemText(source.findData("table")).endswith("  1")
        source.setCurrentIndex(source.findData("table"))
        await until(lambda: page.model.total == 1, "only it")
        await until(lambda: page.model.known_rows()[0].preview.startswith("Wo ist"), "its words")
        await until(lambda: page.filters.target.count() == 2, "the counts of the other filters to follow")
        (trace,) = page.model.known_rows()
        page.table.select_key(trace.id)
        menu = page.deeds.menu(page)
        next(action for action in menu.actions() if action.text() == "These answers were good").trigger()
        await until(lambda: page.model.known_rows()[0].outcome == "verified", "the word of a person")
        app.desk.undo.undo()
        await until(lambda: page.model.known_rows()[0].outcome == "pending", "it to be taken back")
        await app.close()

    qloop.run(story(), timeout=60)


@pytest.mark.parametrize(
    ("header", "why"), [("customer_question,final_reply", "guessed"), ("question,answer", "which prompt")]
)
def test_a_table_that_leaves_a_doubt_is_asked_about_before_it_is_read(
    qapp: QApplication, qloop: Any, tmp_path: Path, header: str, why: str
) -> None:
    table, prompt = tmp_path / "export.csv", tmp_path / "support.txt"
    table.write_text(f"{header}\nWhere is it?,Under way.\n", encoding="utf-8")
    prompt.write_text("Answer customers.\n", encoding="utf-8")

    async def story() -> None:
        async with await Workspace.create(tmp_path / "own") as workspace:
            await workspace.add_target(prompt)
        app = await AppDriver(qapp, tmp_path / "own").start()
        page = app.go("traces")
        page.import_paths([table])
        dialog = await app.dialog("import-as")
        assert why in find(dialog, "import-as-why").accessibleName()
        go = find(dialog, "import-as-go")
        await until(go.isEnabled, "the guess to be shown")
        assert find(dialog, "import-as-target").currentText() == "support"
        press(go)
        await app.gone(dialog)
        await until(lambda: page.model.total == 1, "the trace, and no second question")
        await until(lambda: page.model.known_rows(), "its row")
        await until(lambda: "support" in page.filters.target.itemText(1), "its target among the filters")
        await app.close()

    qloop.run(story(), timeout=60)


def test_an_import_that_is_stopped_says_so_quietly(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    line = json.dumps({"input": "Where is my order, please? " * 30, "output": "On its way. " * 30})
    for number in range(6):
        (tmp_path / f"big-{number}.jsonl").write_text(f"{line}\n" * 4000, encoding="utf-8")

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("traces")
        await until(lambda: page.model.total, "the traces")
        page.import_paths(sorted(tmp_path.glob("*.jsonl")))
        await until(lambda: "MB" in page.importing._said.raw_text(), "the progress in bytes")
        press(page.importing.stop)
        await until(lambda: not page.imports.is_running, "the import to stop")
        assert "cancelled" in app.said()
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_hostile_proposal_is_reviewed_as_text(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def make() -> str:
        async with await Workspace.open(sample) as workspace:
            live = workspace.active_prompt("persona-system-prompt", "writer")
            options = RunOptions(preset="quick", candidate_text="\n".join([live, *HOSTILE]), allow_safe=True)
            return (await workspace.evolve("writer", options)).uuid

    uuid = asyncio.run(make())

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        app.window.show_page("inbox", uuid)
        await until(lambda: app.inbox.page.review.review is not None, "the review")
        for name in ("evidence", "checks", "lineage", "journal", "changes"):
            app.window.trigger(f"tab-{name}")
            await asyncio.sleep(0.1)
            app.window.grab()
        await app.close()

    qloop.run(story(), timeout=60)


def test_hostile_texts_are_compared_side_by_side_as_text(qtbot: Any) -> None:
    from honeyguide.desktop.widgets.diff import DiffPanel
    from honeyguide.workspace import diff_view

    panel = DiffPanel()
    qtbot.addWidget(panel)
    panel.resize(1000, 600)
    panel.show()
    panel.set_rows(diff_view("plain", "\n".join(HOSTILE)).rows)
    panel.grab()
    assert panel.view.hunks()


def test_the_palette_and_the_sheet_of_keys_do_what_they_say(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.come_forward()
        key(app.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        palette: Any = await app.dialog("palette")
        field = find(palette, "palette-search")
        keys(field, "targ")
        assert palette.entries()[0] == "go-targets"
        key(field, Qt.Key.Key_Return)
        await until(lambda: app.window.front == "targets", "the targets")
        app.window.trigger("shortcuts")
        sheet: Any = await app.dialog("shortcuts-dialog")
        sheet.choose("new-run")
        edit: Any = find(sheet, "shortcuts-edit")
        from PySide6.QtGui import QKeySequence

        edit.setKeySequence(QKeySequence("Ctrl+O"))
        assert not find(sheet, "shortcuts-use").isEnabled(), "a key that is taken"
        edit.setKeySequence(QKeySequence("Ctrl+Alt+7"))
        press(find(sheet, "shortcuts-use"))
        assert app.window.qaction("new-run").shortcut() == QKeySequence("Ctrl+Alt+7")
        press(find(sheet, "shortcuts-reset"))
        assert app.window.qaction("new-run").shortcut() == QKeySequence("Ctrl+N")
        press(find(sheet, "shortcuts-close"))
        await app.gone(sheet)
        await app.close()

    qloop.run(story(), timeout=60)


def test_settings_are_checked_kept_and_go_back_to_their_default(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("settings")
        workspace = app.desk.workspace
        page.row("window.theme").field.setCurrentIndex(page.row("window.theme").field.findData("dark"))
        await until(lambda: workspace.setting("window.theme") == "dark", "the setting")
        await until(lambda: app.theme.choice is ThemeChoice.DARK, "the theme")
        line = page.row("models.proxy").field
        await focus(line)
        keys(line, "http://127.0.0.1:8080")
        key(line, Qt.Key.Key_Return)
        await until(lambda: workspace.setting("models.proxy") == "http://127.0.0.1:8080", "the proxy")
        await until(find(page, "default-models.proxy").isEnabled, "the way back")
        press(find(page, "default-models.proxy"))
        await until(lambda: workspace.setting("models.proxy") is None, "the default")
        keys(page.search, "proxy")
        await until(lambda: not page.row("window.theme").isVisible(), "the search")
        page.row("window.theme").field.setCurrentIndex(0)
        await until(lambda: workspace.setting("window.theme") == "system", "the setting")
        await app.close()

    qloop.run(story(), timeout=60)


def test_the_settings_say_how_the_service_stands_and_the_window_carries_it_out(
    qapp: QApplication, qloop: Any, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.workspace.service.LOOK_EVERY", 0.1)
    monkeypatch.setattr("honeyguide.desktop.ahead.REST_S", 0.0)

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("settings")
        state = find(page, "service-state")
        await until(lambda: state.text() == "Off. Nothing runs by itself.", "that it is off")
        await app.desk.workspace.set_setting("service.min_traces", 100_000)
        page.row("service.enabled").field.setChecked(True)
        await until(lambda: state.text().startswith(f"On. Process {os.getpid()} "), "that the window carries it out")
        await until(lambda: "No target has" in find(page, "service-last").text(), "what it saw")
        page.row("service.enabled").field.setChecked(False)
        await until(lambda: state.text().startswith("Off."), "that it is off again")
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_correction_is_judged_by_single_keys(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("corrections")
        await until(lambda: page.model.total, "the corrections")
        total = page.model.total
        await until(page.no.isEnabled, "the first one")
        await focus(page.table)
        keys(page.table, "n")
        await until(lambda: page.model.total == total - 1, "one less")
        app.window.trigger("undo")
        await until(lambda: page.model.total == total, "the verdict to be taken back")
        await until(page.no.isEnabled, "it to be judged again")
        await focus(page.table)
        keys(page.table, "n")
        await until(lambda: page.model.total == total - 1, "one less again")
        await until(page.no.isEnabled, "the next one")
        await focus(page.table)
        keys(page.table, "e")
        dialog = await app.dialog("correction-dialog")
        find(dialog, "correction-words").setPlainText("The answer must name the order number.")  # type: ignore[attr-defined]
        press(find(dialog, "correction-go"))
        await until(lambda: page.model.total == total - 2, "two less")
        confirmed = await app.desk.workspace.corrections("confirmed")
        assert confirmed.items[0].edit == "The answer must name the order number."
        page.state.setCurrentIndex(page.state.findData("confirmed"))
        await until(page.take_back.isVisible, "the way back")
        press(page.take_back)
        await until(lambda: page.model.total == confirmed.total - 1, "it to leave the judged ones")
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_problem_is_reported_dismissed_and_brought_back_by_undo(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("feedback")
        app.press("feedback-add")
        dialog = await app.dialog("feedback-dialog")
        keys(find(dialog, "feedback-text"), "It forgot the greeting.")
        press(find(dialog, "feedback-go"))
        await until(lambda: page.model.total == 1, "the problem")
        await until(page.dismiss.isVisible, "its detail")
        press(page.dismiss)
        await until(lambda: page.model.row_at(0).state == "dismissed", "dismissed")
        page.table.setFocus()
        app.window.trigger("undo")
        await until(lambda: page.model.row_at(0).state == "open", "open again")
        await app.close()

    qloop.run(story(), timeout=60)


def test_closing_asks_while_a_run_goes_on_and_the_run_can_be_resumed(
    qapp: QApplication, qloop: Any, sample: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        uuid = await app.desk.workspace.start_run("coder", RunOptions())
        app.window.close()
        dialog = await app.dialog("close-dialog")
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)
        assert app.window.isVisible()
        await asyncio.sleep(0.05)
        if uuid in app.desk.workspace.active_runs():
            app.window.close()
            dialog = await app.dialog("close-dialog")
            press(find(dialog, "close-dialog-go"))
            assert app._life is not None
            await asyncio.wait_for(app._life, 30)
        await app.close()
        again = await AppDriver(qapp, sample).start()
        review = again.window.page("inbox").review
        await until(lambda: review.review is not None, "the review of the run")
        if review.review.detail.can_resume:
            press(review.decision.resume)
            await until(
                lambda: not again.desk.workspace.active_runs() and review.review.detail.run, "the run's end", 90
            )
        assert review.review.detail.run is not None
        await again.close()

    qloop.run(story(), timeout=200)


def test_an_error_in_a_task_shows_its_sentence_and_its_hint(
    qapp: QApplication, qloop: Any, sample: Path, expected_logs: Any
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()

        async def fail() -> None:
            raise RuntimeError("nobody foresaw this")

        app.desk.tasks.start(fail(), "a task")
        dialog = await app.dialog("error-dialog")
        press(find(dialog, "error-more"))
        assert "nobody foresaw this" in find(dialog, "error-details").toPlainText()  # type: ignore[attr-defined]
        press(find(dialog, "error-close"))
        await app.gone(dialog)
        app.application.errors.clear()
        await app.close()

    qloop.run(story(), timeout=60)


def test_nothing_is_wider_than_the_smallest_window(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    wide, high = SMALLEST

    async def story() -> None:
        app = await AppDriver(qapp, proposed, wide=wide, high=high).start()
        await app.inbox.review_of("support", "proposed")
        for page in PAGES:
            app.window.show_page(page)
            await asyncio.sleep(0.1)
            assert app.window.width() == wide and app.window.height() == high, page
            assert app.window.page(page).width() <= wide
        await app.close()

    qloop.run(story(), timeout=60)


@pytest.mark.soak
def test_memory_does_not_grow_over_200_openings_of_each_page(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    import tracemalloc

    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")

        async def cycle() -> None:
            for page in PAGES:
                app.window.show_page(page)
                await asyncio.sleep(0.01)

        for _ in range(10):
            await cycle()
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.take_snapshot()
        widgets = len(QApplication.allWidgets())
        for _ in range(200):
            await cycle()
        gc.collect()
        grown = sum(entry.size_diff for entry in tracemalloc.take_snapshot().compare_to(before, "filename"))
        tracemalloc.stop()
        assert len(QApplication.allWidgets()) <= widgets + 20
        assert grown < 4_000_000, f"{grown / 1e6:.1f} MB"
        await app.close()

    qloop.run(story(), timeout=600)


@pytest.mark.soak
def test_a_window_that_is_opened_and_closed_leaves_nothing(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        for _ in range(20):
            app = await AppDriver(qapp, proposed).start()
            await app.close()
        gc.collect()
        left = [w for w in QApplication.topLevelWidgets() if isinstance(w, Window | QDialog)]
        assert len(left) <= 1, left

    qloop.run(story(), timeout=300)


def test_the_smoke_run_walks_through_everything(qapp: QApplication, qloop: Any, tmp_path: Path, proposed: Path) -> None:
    from honeyguide.desktop.smoke import walk

    workspace = Path(shutil.copytree(proposed, tmp_path / "smoke"))
    qapp.setQuitOnLastWindowClosed(False)
    theme = ThemeSwitch(qapp, ThemeChoice.LIGHT)
    window = Window()
    window.show()
    application = Application(qapp, workspace, window, theme)
    assert qloop.run(walk(application), timeout=60) == 0
    window.deleteLater()
    theme.setParent(None)
    application.setParent(None)
