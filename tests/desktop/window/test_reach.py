"""What is reached by name or by hand: places in the palette, recent workspaces, dropped files, undo, colours."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.theme import Role, active_theme
from honeyguide.desktop.undo import Undoable
from honeyguide.workspace import Workspace
from tests.desktop.drivers import AppDriver, find, key, keys, press, until


def test_the_palette_goes_to_a_target_and_to_a_run(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        app.window.trigger("palette")
        palette: Any = await app.dialog("palette")
        assert not any(name.startswith("targets:") for name in palette.entries()), "actions only until one types"
        field = find(palette, "palette-search")
        keys(field, "coder")
        await until(lambda: any(name.startswith("targets:") for name in palette.entries()), "the target")
        row = next(n for n, name in enumerate(palette.entries()) if name.startswith("targets:"))
        palette._list.setCurrentRow(row)
        key(field, Qt.Key.Key_Return)
        await until(lambda: app.window.front == "targets", "the page of targets")
        await until(lambda: "coder" in str(app.targets.table.current_key()), "the target to be chosen")
        uuid = (await app.desk.workspace.run_rows()).items[-1].uuid
        app.window.trigger("palette")
        again: Any = await app.dialog("palette")
        keys(find(again, "palette-search"), uuid[:8])
        await until(lambda: f"inbox:{uuid}" in again.entries(), "the run by the beginning of its id")
        again._list.setCurrentRow(again.entries().index(f"inbox:{uuid}"))
        key(find(again, "palette-search"), Qt.Key.Key_Return)
        await until(lambda: app.inbox.page.table.current_key() == uuid, "the run to be chosen")
        await app.close()

    qloop.run(story(), 30)


def test_a_workspace_opened_before_is_opened_again(
    qapp: QApplication, qloop: Any, proposed: Path, tmp_path: Path
) -> None:
    other = proposed.rename(tmp_path / "other")

    async def story() -> None:
        async with await Workspace.create(tmp_path / "new"):
            pass
        Workspace.remember(tmp_path / "new")
        Workspace.remember(other)
        assert Workspace.recently_opened() == [other, tmp_path / "new"]
        assert Workspace.last_opened() == other
        app = await AppDriver(qapp, other).start()
        app.window.trigger("recent-workspace")
        dialog: Any = await app.dialog("recent-workspaces")
        assert dialog.chosen() == str(tmp_path / "new")
        press(find(dialog, "recent-workspaces-go"))
        await until(lambda: app.window.windowTitle().startswith("new"), "the other workspace")
        await until(app.application.ready.is_set, "it to be ready")
        await app.close()

    qloop.run(story(), 30)


def test_a_file_dropped_on_any_page_is_imported(qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text('{"messages": [{"role": "user", "content": "Where is my order?"}, '
                    '{"role": "assistant", "content": "On its way."}]}\n')  # fmt: skip

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        app.go("targets")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        drop = QDropEvent(
            QPointF(400, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        app.window.dropEvent(drop)
        assert app.window.front == "traces"
        page: Any = app.window.page("traces")
        before = (await app.desk.workspace.traces()).total
        await until(lambda: page.imports.is_running or app.said(), "the import to begin")
        await until(lambda: not page.imports.is_running, "the import to end")
        assert (await app.desk.workspace.traces()).total > before or "1" in app.said()
        await app.close()

    qloop.run(story(), 30)


def test_undo_says_what_it_takes_back_and_the_colours_of_changes_can_be_chosen(
    qapp: QApplication, qloop: Any, sample: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        app.desk.undo.add(Undoable("Dismiss correction 12", lambda: None, lambda: None))
        app.window._judge_one("undo")
        assert app.window.qaction("undo").text().startswith("Undo: Dismiss correction 12")
        before = active_theme()[Role.INSERT]
        await app.desk.workspace.set_setting("window.change_colours", "blue-orange")
        await until(lambda: active_theme()[Role.INSERT] != before, "other colours")
        await app.desk.workspace.set_setting("window.change_colours", None)
        await until(lambda: active_theme()[Role.INSERT] == before, "the usual ones")
        await app.close()

    qloop.run(story(), 30)


def test_a_change_is_written_as_a_patch_that_git_takes(qloop: Any, proposed: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with await Workspace.open(proposed) as workspace:
            rows = (await workspace.run_rows()).items
            row = next(row for row in rows if row.state == "proposed")
            diff = await workspace.run_diff(row.uuid)
            file = tmp_path / "repo" / f"{row.target_name}.md"
            file.parent.mkdir()
            file.write_bytes(diff.before.encode())
            patch = await workspace.export_run(row.uuid, tmp_path / "change.patch")
            subprocess.run(["git", "apply", "--whitespace=nowarn", str(patch)], cwd=file.parent, check=True)
            assert file.read_bytes() == diff.after.encode()

    qloop.run(story(), 30)


def test_a_newer_version_is_told_once_and_can_be_skipped(
    qapp: QApplication, qloop: Any, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from honeyguide.desktop.update_news import tell_of_update
    from honeyguide.workspace.updates import UpdateReport

    skipped: list[str] = []

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        values = {"current": "1.0", "newest": "1.1", "is_newer": True, "is_skipped": False}
        rest = {name: "" for name in UpdateReport.__dataclass_fields__ if name not in values}

        async def news() -> UpdateReport:
            return UpdateReport(**{**rest, **values})

        async def skip(version: str) -> None:
            skipped.append(version)

        monkeypatch.setattr(app.desk.workspace, "update_news", news)
        monkeypatch.setattr(app.desk.workspace, "skip_update", skip)
        await tell_of_update(app.desk)
        assert "1.1" in app.window.bars.texts()["update"]
        press(find(app.window, "bar-update-action"))
        await until(lambda: skipped == ["1.1"] and "update" not in app.window.bars.texts(), "the bar to go")
        await app.close()

    qloop.run(story(), 30)
