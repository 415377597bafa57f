"""The frame: what it imports, what its code may not do, its tasks, keys, memory, and one instance per workspace."""

from __future__ import annotations

import ast
import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QSystemTrayIcon, QWidget

import honeyguide.desktop
from honeyguide.desktop.actions import actions
from honeyguide.desktop.crash import CrashKeeper, safe_text_of
from honeyguide.desktop.dialogs.palette import match_rank
from honeyguide.desktop.keys import KeyBindings, SingleKeys
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.single_instance import SingleInstance, ask_other, server_name
from honeyguide.desktop.starting import handed_file, wanted_window
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Scheme, apply_theme, derive
from honeyguide.desktop.tray import Tray, badge_icon
from honeyguide.desktop.undo import Undoable, UndoList
from honeyguide.desktop.window import Window
from honeyguide.workspace import Workspace
from tests.desktop.drivers import AppDriver, until

SOURCES = sorted(Path(honeyguide.desktop.__file__).parent.rglob("*.py"))
BANNED_CALLS = {"exec", "exec_", "processEvents"}
BANNED_NAMES = {"asyncSlot", "asyncClose", "QMessageBox", "QInputDialog", "QProgressDialog"}


def test_no_nested_loop_and_no_slot_that_loses_its_task() -> None:
    found = []
    for path, node in _nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BANNED_CALLS:
            is_first_paint = path.name == "main.py" and node.func.attr == "processEvents"
            found += [] if is_first_paint else [f"{path.name}:{node.lineno} calls {node.func.attr}"]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        found += [f"{path.name} uses {name}"] if name in BANNED_NAMES else []
    assert not found


def test_the_window_carries_the_style_sheet_so_that_pages_are_made_without_one(qapp: QApplication) -> None:
    window = Window()
    try:
        assert window.styleSheet() and not qapp.styleSheet()
        light = window.styleSheet()
        apply_theme(qapp, derive(Scheme.DARK))
        assert window.styleSheet() != light and not qapp.styleSheet(), "a change of the theme reaches the window"
    finally:
        window.close_now()
        window.deleteLater()
        apply_theme(qapp, derive(Scheme.LIGHT))


def test_the_window_knows_the_workspace_and_the_kernel_only() -> None:
    allowed = ("honeyguide.desktop", "honeyguide.workspace", "honeyguide.kernel")
    found = []
    for path, node in _nodes():
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        found += [f"{path.name}: {n}" for n in names if n.startswith("honeyguide.") and not n.startswith(allowed)]
    assert not found


def _nodes() -> Iterator[tuple[Path, ast.AST]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_importing_the_window_imports_nothing_heavy() -> None:
    code = (
        "import sys, honeyguide.desktop.main\n"
        "heavy = {'anthropic', 'openai', 'pyqtgraph', 'starlette', 'honeyguide.server', 'honeyguide.workspace',"
        " 'sqlalchemy', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["--workspace", "here"], (Path("here"), False)),
        (["--workspace=here", "--smoke"], (Path("here"), True)),
        (["runs", "list"], None),
        (["--version"], None),
        (["--workspace"], None),
        (["--workspace", "here", "init", "there"], None),
    ],
)
def test_only_the_window_takes_the_short_way(arguments: list[str], wanted: tuple[Path, bool] | None) -> None:
    assert wanted_window(arguments, {}) == wanted


def test_the_short_way_chooses_the_workspace_that_the_command_line_chooses(tmp_path: Path) -> None:
    assert wanted_window([], {}) == (Workspace.default_path(), False)
    assert wanted_window([], {"HONEYGUIDE_WORKSPACE": "named"}) == (Path("named"), False)
    (tmp_path / "honeyguide.db").write_bytes(b"")
    Workspace.remember(tmp_path)
    assert wanted_window([], {}) == (Workspace.last_opened(), False) == (tmp_path, False)


def test_every_action_has_a_title_an_own_id_and_an_own_key() -> None:
    every = actions()
    assert len({action.id for action in every}) == len(every)
    used: dict[tuple[str, str], str] = {}
    for action in every:
        assert action.title
        for key in action.keys:
            assert not QKeySequence(key).isEmpty(), key
            other = used.setdefault((key, ""), action.id)
            assert other == action.id, f"{key}: {other} and {action.id}"
        if action.single:
            other = used.setdefault((action.single, action.page), action.id)
            assert other == action.id, f"{action.single}: {other} and {action.id}"


def test_a_scope_reports_errors_and_ends_what_it_started(qapp: QApplication, qloop: Any) -> None:
    async def story() -> None:
        told: list[tuple[str, str]] = []
        scope = TaskScope(lambda error, name: told.append((str(error), name)), "page")
        below = scope.child("below")

        async def fail() -> None:
            raise ValueError("broken")

        async def for_ever() -> None:
            await asyncio.sleep(60)

        scope.start(fail(), "failing")
        below.start(for_ever(), "waiting")
        await asyncio.sleep(0.05)
        assert told == [("broken", "failing")]
        assert scope.running() == ["waiting"]
        await scope.aclose()
        assert scope.running() == []
        assert scope.start(for_ever()) is None
        assert told == [("broken", "failing")]

    qloop.run(story())


def test_only_the_newest_of_quick_selections_is_loaded_and_late_results_are_dropped(
    qapp: QApplication, qloop: Any
) -> None:
    async def story() -> None:
        begun: list[int] = []
        shown: list[int] = []
        scope = TaskScope(lambda error, name: None)

        def choose(number: int, seconds: float, delay_ms: int = 20) -> None:
            async def load() -> int:
                begun.append(number)
                await asyncio.sleep(seconds)
                return number

            scope.latest("run", load, shown.append, delay_ms=delay_ms)

        for number in range(5):
            choose(number, 0.01)
        await asyncio.sleep(0.15)
        assert (begun, shown) == ([4], [4])
        choose(10, 0.2, 0)
        await asyncio.sleep(0.02)
        choose(11, 0.01, 0)
        await asyncio.sleep(0.3)
        assert shown == [4, 11]
        await scope.aclose()

    qloop.run(story())


def test_memory_survives_a_restart_and_a_broken_file(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "state" / "window.json"
    memory = Memory(path)
    memory.set("inbox.columns", {"order": ["age"]})
    memory.set("note.1", "half a sent")
    memory.save()
    assert Memory(path).table("inbox.columns") == {"order": ["age"]}
    assert Memory(path).text("note.1") == "half a sent"
    path.write_text("{", encoding="utf-8")
    assert Memory(path).text("note.1") == ""


def test_keys_can_be_changed_checked_for_conflicts_and_reset(qapp: QApplication) -> None:
    memory = Memory(None)
    keys = KeyBindings(actions(), memory)
    assert keys.owner("Ctrl+N", besides="quit") == "new-run"
    assert keys.owner("Ctrl+Alt+9") is None
    keys.set_key("new-run", "Ctrl+Alt+9")
    assert keys.keys("new-run") == ("Ctrl+Alt+9",)
    assert keys.owner("Ctrl+N", besides="quit") is None
    keys.set_key("accept", "X")
    assert keys.single("accept") == "X" and keys.keys("accept") == ()
    assert KeyBindings(actions(), memory).single("accept") == "X"
    keys.reset()
    assert keys.keys("new-run") == ("Ctrl+N",) and keys.single("accept") == "A"
    memory.save()


def test_single_keys_act_on_a_list_and_can_be_switched_off(qtbot: Any) -> None:
    done: list[str] = []
    memory = Memory(None)
    keys = KeyBindings(actions(), memory)
    singles = SingleKeys(actions(), keys, done.append)
    box = QListWidget()
    qtbot.addWidget(box)
    box.show()
    box.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    singles.attach(box)
    QTest.keyClick(box, Qt.Key.Key_A)
    assert done == ["accept"]
    singles.set_enabled(False)
    QTest.keyClick(box, Qt.Key.Key_A)
    assert done == ["accept"]
    singles.set_enabled(True)
    keys.set_key("accept", "X")
    QTest.keyClick(box, Qt.Key.Key_A)
    QTest.keyClick(box, Qt.Key.Key_X)
    assert done == ["accept", "accept"]
    memory.save()


def test_the_first_window_of_a_workspace_is_raised_by_a_second_start(qtbot: Any, tmp_path: Path) -> None:
    first = SingleInstance(tmp_path)
    raised: list[bool] = []
    first.raise_wanted.connect(lambda: raised.append(True))
    assert first.claim()
    code = (
        "import sys\nfrom pathlib import Path\nfrom PySide6.QtCore import QCoreApplication\n"
        "from honeyguide.desktop.single_instance import ask_other\n"
        "app = QCoreApplication([])\nsys.exit(0 if ask_other(Path(sys.argv[1])) else 3)"
    )
    second = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / ".." / tmp_path.name)])
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    assert second.returncode == 0 and raised == [True]
    first.close()
    assert not ask_other(tmp_path)


@pytest.mark.parametrize(
    "said",
    [b'open "relative.jsonl"\n', b'open "/nowhere/at/all"\n', b"open [1]\n", b"open {\n", b"x" * 70_000, b"run x\n"],
)
def test_what_is_no_file_that_is_there_is_not_listened_to(qtbot: Any, tmp_path: Path, said: bytes) -> None:
    first = SingleInstance(tmp_path)
    heard: list[object] = []
    first.file_wanted.connect(heard.append)
    first.raise_wanted.connect(lambda: heard.append("raised"))
    assert first.claim()
    socket = QLocalSocket()
    socket.connectToServer(server_name(tmp_path))
    assert socket.waitForConnected(800)
    socket.write(said)
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState, timeout=5000)
    assert heard == []
    first.close()


def test_a_path_at_the_end_is_a_file_for_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name in ("day.jsonl", "one.honeyguide-review"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "honeyguide.db").write_bytes(b"")
    assert handed_file(["day.jsonl"]) == ([], tmp_path / "day.jsonl")
    assert handed_file(["--workspace", "w", "./runs"]) == (["--workspace", "w"], tmp_path / "runs")
    assert handed_file(["./mine"]) == (["--workspace", str(tmp_path / "mine")], None)
    for others in (["runs"], ["gone.jsonl"], ["one.honeyguide-review"], ["--workspace", "./mine"], []):
        assert handed_file(others) == (others, None)


def test_a_second_start_hands_its_file_to_the_first_window(qapp: QApplication, qloop: Any, sample: Path) -> None:
    file = sample.parent / "day ü.jsonl"
    file.write_text("", encoding="utf-8")

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        instance = SingleInstance(sample)
        assert instance.claim()
        instance.file_wanted.connect(app.application.open_file)
        shown: list[object] = []
        app.window.show_page = lambda page, item=None: shown.append((page, item))  # type: ignore[method-assign]
        command = [sys.executable, "-m", "honeyguide", "--workspace", str(sample), file.name]
        second = await asyncio.create_subprocess_exec(*command, cwd=file.parent)
        assert await asyncio.wait_for(second.wait(), 40) == 0
        await until(lambda: shown == [("traces", [file])], "the file to be opened")
        del app.window.show_page
        instance.close()
        await app.close()

    qloop.run(story(), 60)


def test_a_window_that_is_busy_is_waited_for_and_one_that_crashed_is_replaced(
    qapp: QApplication, tmp_path: Path
) -> None:
    busy = "\n".join(
        (
            "import sys, time",
            "from pathlib import Path",
            "from PySide6.QtCore import QCoreApplication, QTimer",
            "from honeyguide.desktop.single_instance import SingleInstance",
            "app = QCoreApplication([])",
            "assert SingleInstance(Path(sys.argv[1]), app).claim()",
            "print('claimed', flush=True)",
            "QTimer.singleShot(0, lambda: time.sleep(1.5))",
            "app.exec()",
        )
    )
    other = subprocess.Popen([sys.executable, "-c", busy, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "claimed\n"
    second = SingleInstance(tmp_path)
    assert not second.claim(), "a second window on the same workspace"
    other.kill()
    other.communicate()
    assert second.claim(), "what a crashed window left behind bars the way"
    second.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a signal there ends the program at once")
def test_the_whole_program_comes_forward_closes_in_order_and_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    asyncio.run(_made(folder))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_STATE_HOME": str(tmp_path / "state")}
    command = [sys.executable, "-m", "honeyguide", "--workspace", str(folder)]
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list((tmp_path / "state").rglob("last-workspace.json")):
        assert first.poll() is None and time.monotonic() < deadline, "the window did not open its workspace"
        time.sleep(0.05)
    second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    first.send_signal(signal.SIGTERM)
    _, said = first.communicate(timeout=60)
    assert first.returncode == 0
    assert said == ""
    assert not list((tmp_path / "state").rglob("fatal-*.log"))


async def _made(folder: Path) -> None:
    await (await Workspace.create(folder)).close()


def test_undo_and_redo_have_names(qapp: QApplication) -> None:
    log: list[str] = []
    undo = UndoList()
    assert not undo.undo() and undo.undo_name == ""
    undo.add(Undoable("Dismiss a problem", lambda: log.append("back"), lambda: log.append("again")))
    assert undo.undo_name == "Dismiss a problem"
    assert undo.undo() and undo.redo_name == "Dismiss a problem"
    assert undo.redo() and log == ["back", "again"]


@pytest.mark.parametrize(
    ("words", "title", "rank"),
    [
        ("", "Accept", 0),
        ("acc", "Accept and deploy…", 0),
        ("deploy", "Accept and deploy…", 1),
        ("acdep", "Accept and deploy…", 3),
        ("zz", "Accept", None),
    ],
)
def test_the_palette_ranks_beginnings_before_words_before_letters(words: str, title: str, rank: int | None) -> None:
    assert match_rank(words.split(), title.casefold(), title.casefold()) == rank


@pytest.mark.parametrize("count", [0, 1, 7, 42, 100])
def test_the_tray_shows_how_many_wait_and_stays_away_where_there_is_none(qtbot: Any, count: int) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    tray = Tray(window)
    tray.set_count(count)
    tray.set_shown(True)
    assert tray.is_shown == QSystemTrayIcon.isSystemTrayAvailable()
    assert tray.tell("A proposal waits.") == tray.is_shown
    plain, badge = badge_icon(0).pixmap(64, 64).toImage(), badge_icon(count).pixmap(64, 64).toImage()
    assert (plain != badge) == (count > 0)
    tray.close()
    assert not tray.is_shown


def test_a_crash_of_the_last_start_is_found_and_an_orderly_end_leaves_nothing(
    qapp: QApplication, tmp_path: Path
) -> None:
    heard: list[str] = []
    keeper = CrashKeeper(tmp_path, lambda error, where: heard.append(f"{where}: {error}"))
    keeper.begin()
    assert keeper.left_behind is None
    sys.excepthook(ValueError, ValueError("in a slot"), None)
    thread = threading.Thread(target=lambda: [][0], name="a worker")  # type: ignore[misc]
    thread.start()
    thread.join()
    keeper.end()
    assert heard == ["the window: in a slot", "a worker: list index out of range"]
    (tmp_path / "fatal.log").write_text("Fatal Python error: Segmentation fault", encoding="utf-8")
    later = CrashKeeper(tmp_path, lambda error, where: None)
    later.begin()
    later.end()
    assert later.left_behind is not None and "Segmentation" in later.left_behind.read_text(encoding="utf-8")


def test_the_log_and_the_details_of_an_error_hold_no_secret(
    qapp: QApplication, tmp_path: Path, expected_logs: pytest.LogCaptureFixture
) -> None:
    key = "sk-ant-api03-" + "Zq8" * 31 + "AA"
    keeper = CrashKeeper(tmp_path, lambda error, where: None)
    keeper.begin()
    logging.getLogger("honeyguide.desktop.failures").error("a task: %s", f"RuntimeError: refused {key}")
    keeper.end()
    log = (tmp_path / "window.log").read_text(encoding="utf-8")
    assert "a task: RuntimeError: refused" in log and key not in log
    said = safe_text_of(ValueError(f"refused {key}"))
    assert "ValueError: refused" in said and key not in said
