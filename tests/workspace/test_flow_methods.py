"""Flows and feedback through the façade: any target, our own models, events, and stopping."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict, NotFound, PolicyRefused, Unsupported
from honeyguide.workspace import FlowOptions, RunStatus
from honeyguide.workspace.flow_desk import fetch_page

pytestmark = pytest.mark.anyio
SUITE = """\
cases:
  - name: greets
    input: "Hello, I am Maria. I want my money back."
    checks: [{regex: {pattern: "^(hello|hi|dear) maria", flags: i}}]
"""
COMPLAINT = "The answer must greet the customer by name."


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "repo" / "support.md"
    path.parent.mkdir()
    path.write_text("---\nengine: practice\n---\nYou answer customers of a small shop. Keep it short.\n")
    path.with_name("support.eval.yaml").write_text(SUITE)
    return path


async def test_feedback_on_a_persona_by_name_is_kept_and_told(workspace):
    name = next(row.ref.name for row in await workspace.targets() if row.ref.kind == "persona-system-prompt")
    before = await workspace.last_event_id()
    added = await workspace.add_feedback(name, "It is too long.", expected="two sentences")
    kinds = [event.kind for event in await workspace.events(before)]
    assert "feedback:added" in kinds
    assert added.item.kind == "persona-system-prompt"
    (listed,) = (await workspace.list_feedback(name)).items
    assert listed.expected == "two sentences"
    await workspace.dismiss_feedback(added.item.id)
    with pytest.raises(Conflict):
        await workspace._core.in_thread(lambda: workspace._feedback._log().get(added.item.id).moved("resolved", "t"))
    await workspace.reopen_feedback(added.item.id)
    with pytest.raises(PolicyRefused):
        await workspace.forget_feedback(added.item.id)
    await workspace.forget_feedback(added.item.id, confirmed=True)
    assert (await workspace.list_feedback()).items == ()
    with pytest.raises(NotFound):
        await workspace.show_feedback(added.item.id)


async def test_a_flow_on_our_own_access_to_models(workspace, flow):
    flow.write_text(flow.read_text().replace("engine: practice", "engine: api\nmodel: practice:practice"))
    added = await workspace.add_feedback(str(flow), COMPLAINT)
    await workspace.link_feedback(added.item.id, "greets")
    plan = await workspace.plan_flow(flow)
    assert plan.usd == (0.0, 0.0)
    events = []
    run = await workspace.propose_flow(
        flow, FlowOptions(is_confirmed=True), on_event=lambda kind, data: events.append(kind)
    )
    assert run.status is RunStatus.VERIFIED_IMPROVEMENT, run.reason
    assert events[:2] == ["notice", "started"] and events[-1] == "result"
    detail = await workspace.flow_run(run.id)
    assert detail.receipt_state == "current"
    assert (workspace.path / "runs" / run.id / "journal.jsonl").is_file()
    applied = await workspace.apply_flow(run.id)
    assert applied.status is RunStatus.APPLIED
    assert (await workspace.show_feedback(added.item.id)).item.state == "resolved"
    rows = await workspace._core.store.read(lambda unit: unit.feedback.list())
    assert [row.state for row in rows] == ["resolved"]
    assert (await workspace.rollback_flow(run.id)).status is RunStatus.ROLLED_BACK


async def test_stopping_a_proposal_ends_its_engine_and_opens_the_problem(workspace, flow, tmp_path, monkeypatch):
    tool = tmp_path / "bin" / "claude"
    tool.parent.mkdir()
    started = tmp_path / "started"
    tool.write_text(f"#!{sys.executable} -SE\nimport time\nopen({str(started)!r}, 'w').close()\ntime.sleep(60)\n")
    tool.chmod(0o755)
    workspace._core.environ = {**workspace._core.environ, "PATH": f"{tool.parent}:/usr/bin:/bin"}
    flow.write_text("---\nengine: claude\n---\nAnswer {{ _1 }}\n")
    added = await workspace.add_feedback(str(flow), COMPLAINT)
    await workspace.link_feedback(added.item.id, "greets")
    with pytest.raises(PolicyRefused):
        await workspace.propose_flow(flow)
    task = asyncio.create_task(workspace.propose_flow(flow, FlowOptions(is_confirmed=True)))
    began = time.monotonic()
    while not started.exists() and time.monotonic() - began < 10:
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (row,) = (await workspace.flow_runs()).runs
    assert row.run.status is RunStatus.INTERRUPTED
    assert (await workspace.show_feedback(added.item.id)).item.state == "open"


async def test_a_window_stays_alive_while_a_proposal_is_made(workspace, flow):
    added = await workspace.add_feedback(str(flow), COMPLAINT)
    await workspace.link_feedback(added.item.id, "greets")
    task = asyncio.create_task(workspace.propose_flow(flow))
    latest, worst = time.monotonic(), 0.0
    while not task.done():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        worst, latest = max(worst, now - latest), now
    assert (await task).status is RunStatus.VERIFIED_IMPROVEMENT
    assert worst < 1.0  # generous: the machine may be busy; a blocked loop would miss all of it


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y"])
def test_only_pages_are_fetched(url):
    with pytest.raises(Unsupported):
        fetch_page(url)
