"""A proposal for a flow is begun in the window: plan, trust, progress, stop, and what came of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from honeyguide.workspace import FlowOptions, Workspace
from tests.desktop.drivers import AppDriver, find, press, until

SUITE = """\
cases:
  - name: greets
    input: "Hello, I am Maria. I want my money back."
    checks: [{regex: {pattern: "^(hello|hi|dear) maria", flags: i}}]
"""
CODE = """\
export default [
  { name: "greets", input: "Hello", assert: (r) => r.stdout.includes("Good day") || "expected Good day" },
]
"""


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "repo" / "support.md"
    path.parent.mkdir()
    path.write_text("---\nengine: practice\n---\nYou answer customers of a small shop. Keep it short.\n")
    path.with_name("support.eval.yaml").write_text(SUITE)
    return path


async def complain(workspace: Workspace, flow: Path) -> None:
    added = await workspace.add_feedback(str(flow), "The answer must greet the customer by name.")
    await workspace.link_feedback(added.item.id, "greets")


def test_a_change_is_proposed_from_the_window_and_stands_in_the_list(
    qapp: QApplication, qloop: Any, sample: Path, flow: Path
) -> None:
    before = flow.read_bytes()

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        await complain(app.desk.workspace, flow)
        app.desk.memory.set("flows.files", [str(flow)])
        page = app.go("flows")
        app.press("flow-propose")
        dialog: Any = await app.dialog("flow-propose-dialog")
        await until(find(dialog, "flow-propose-go").isEnabled, "the plan")
        assert "free" in find(dialog, "flow-propose-plan").raw_text()
        assert "Open problems: 1, in a case of the suite: 1" in find(dialog, "flow-propose-about").raw_text()
        assert dialog.trust.isHidden(), "a declarative suite executes nothing of its own"
        press(find(dialog, "flow-propose-go"))
        await until(lambda: page.working.isVisible() or page.model.total, "a word on what is being done")
        await until(lambda: page.model.total == 1 and page.table.current_key(), "the proposal in the list")
        await until(lambda: page.diff.view.hunks(), "its difference")
        await until(lambda: not page.working.isVisible() and not page.proposing.is_running, "the work to end")
        assert app.desk.underway == []
        assert flow.read_bytes() == before, "only applying changes the flow"
        await app.close()

    qloop.run(story())


def test_asking_is_off_with_the_reason_and_code_asks_for_trust(
    qapp: QApplication, qloop: Any, sample: Path, flow: Path
) -> None:
    flow.with_name("support.eval.yaml").unlink()

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        app.desk.memory.set("flows.files", [str(flow)])
        app.go("flows")
        app.press("flow-propose")
        dialog: Any = await app.dialog("flow-propose-dialog")
        go = find(dialog, "flow-propose-go")
        await until(lambda: find(dialog, "flow-propose-reason").isVisible(), "the reason")
        assert not go.isEnabled() and "suite" in go.accessibleDescription()
        flow.with_name("support.eval.ts").write_text(CODE)
        added = await app.desk.workspace.add_feedback(str(flow), "Greet them.")
        linked = f'"greets", evidence: ["{added.item.id}"],'
        flow.with_name("support.eval.ts").write_text(CODE.replace('"greets",', linked))
        dialog.tries.setValue(2)
        await until(dialog.trust.isVisible, "the question for trust")
        assert not go.isEnabled()
        press(dialog.trust)
        dialog.trust.setChecked(True)
        await until(go.isEnabled, "asking to be on")
        assert dialog.wish().options.trusts_suite and dialog.wish().options.candidates == 2
        dialog.reject()
        await app.close()

    qloop.run(story())


def test_stopping_leaves_the_flow_and_closing_asks(
    qapp: QApplication, qloop: Any, sample: Path, flow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        await complain(app.desk.workspace, flow)
        app.desk.memory.set("flows.files", [str(flow)])
        begun, original = asyncio.Event(), app.desk.workspace.propose_flow

        async def slow(path: Path, options: FlowOptions, **rest: Any) -> Any:
            begun.set()
            await asyncio.sleep(30)
            return await original(path, options, **rest)

        monkeypatch.setattr(app.desk.workspace, "propose_flow", slow)
        page = app.go("flows")
        app.press("flow-propose")
        dialog: Any = await app.dialog("flow-propose-dialog")
        await until(find(dialog, "flow-propose-go").isEnabled, "the plan")
        press(find(dialog, "flow-propose-go"))
        await until(begun.is_set, "the work to begin")
        app.window.close()
        question: Any = await app.dialog("close-dialog")
        assert "support.md" in question.windowTitle() or "support.md" in str(app.desk.underway)
        question.reject()
        await app.gone(question)
        press(find(app.window, "flow-working-action"))
        await until(lambda: not page.proposing.is_running, "it to stop")
        assert app.desk.underway == [] and "Stopped" in app.said()
        await app.close()

    qloop.run(story())
