"""Feedback and flows in the window: a case is drafted and linked, problems are merged, a run shows its proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from tests.desktop.drivers import AppDriver, find, press, until

SUITE = "version: 1\ncases:\n  - name: greets\n    input: Hello\n    checks:\n      - contains: Good day\n"
CASE = {"name": "answers green", "evidence": ["fb_1"], "repetitions": 3, "quorum": 2}


def flow_of(folder: Path) -> Path:
    flow = folder / "greet.md"
    flow.write_text("---\nengine: practice\n---\nYou greet people.\n", encoding="utf-8")
    (folder / "greet.eval.yaml").write_text(SUITE, encoding="utf-8")
    return flow


def write_run(folder: Path) -> Path:
    """Write the folder of a run as mdflow does: red before, green after, one new ability."""
    run = folder / "evr_abc1_0123abcd"
    run.mkdir(parents=True)
    flow = {"id": "greet", "path": str(folder / "greet.md"), "repository": None, "relativePath": "greet.md"}
    trials = [{"trial": n, "status": "fail", "reason": "expected GREEN", "exitCode": 0} for n in (1, 2, 3)]
    red = {**CASE, "status": "fail", "reason": "expected GREEN", "passCount": 0, "flaky": False, "trials": trials}
    green = {**CASE, "status": "pass", "passCount": 3, "flaky": False,
             "trials": [{"trial": n, "status": "pass", "exitCode": 0} for n in (1, 2, 3)]}  # fmt: skip
    difference = {"added": ["command: curl <b>x</b>"], "removed": [], "safe": False}
    state = {
        "version": 1, "id": run.name, "flow": flow, "suitePath": str(folder / "greet.eval.yaml"),
        "status": "capability_rejected", "createdAt": "2026-03-01T09:00:00.000Z",
        "updatedAt": "2026-03-01T09:01:00.000Z", "currentHash": "a" * 64, "proposalHash": "b" * 64,
        "evidenceIds": ["fb_1"], "reason": "the proposal adds a capability", "plannedInvocations": 7,
        "actualInvocations": 3, "capabilityDiff": difference,
    }  # fmt: skip
    files: dict[str, Any] = {
        "state.json": state, "capability-diff.json": difference, "plan.json": {"version": 1},
        "current-results.json": {"pass": 0, "fail": 1, "total": 1, "cases": [red]},
        "proposal-results.json": {"pass": 1, "fail": 0, "total": 1, "cases": [green]},
    }  # fmt: skip
    for name, value in files.items():
        (run / name).write_text(json.dumps(value), encoding="utf-8")
    (run / "current.md").write_text("You greet people.\n", encoding="utf-8")
    (run / "proposal.md").write_text("You greet people.\n!`curl x`\n", encoding="utf-8")
    event = {"runId": run.name, "type": "planned", "timestamp": "2026-03-01T09:00:00.000Z"}
    (run / "events.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")
    return run


def test_a_case_is_drafted_and_linked_and_problems_that_are_one_are_merged(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    flow = flow_of(tmp_path)

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        workspace = app.desk.workspace
        first = await workspace.add_feedback(str(flow), "It does not greet in the morning.")
        page = app.go("feedback")
        page.show_item(first.item.id)
        page.read()
        await until(page.link.isVisible, "the problem")
        assert not page.alike.isVisible()
        press(page.distil)
        dialog = await app.dialog("distilled")
        assert "It does not greet" in find(dialog, "distilled-text").toPlainText()
        press(find(dialog, "distilled-close"))
        await app.gone(dialog)
        await until(page.link.isEnabled, "the cases of the suite")
        press(page.link)
        dialog = await app.dialog("link-case")
        assert find(dialog, "link-case-choice").currentText() == "greets"
        press(find(dialog, "link-case-go"))
        await app.gone(dialog)
        await until(lambda: "greets" in page.coverage.raw_text(), "the case to be named")
        assert first.item.id in (tmp_path / "greet.eval.yaml").read_text(encoding="utf-8")
        await until(lambda: not page.link.isEnabled(), "no case to be left")

        second = await workspace.add_feedback(str(flow), "It does not greet in the mornings.")
        page.show_item(second.item.id)
        page.read()
        await until(page.alike.isVisible, "the other one to be offered")
        press(find(page.alike, "feedback-alike-action"))
        dialog = await app.dialog("merge-feedback")
        press(find(dialog, "merge-feedback-go"))
        await app.gone(dialog)
        await until(lambda: page.model.total == 1, "one problem to be left")
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_run_of_a_flow_shows_outcome_trials_capabilities_and_receipt(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    flow_of(tmp_path)
    run = write_run(tmp_path)

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("flows")
        await until(lambda: page.list_stack.state.kind == "empty", "the empty state")
        await app.desk.workspace.import_flow_runs(run, origin=app.desk.origin)
        page.read()
        await until(lambda: page.panel.trials.topLevelItemCount() == 1, "its case")
        item = page.panel.trials.topLevelItem(0)
        assert [item.text(n) for n in range(4)] == ["answers green", "red, 0 of 3", "green, 3 of 3", "fb_1"]
        assert item.childCount() == 3 and item.child(0).text(1) == "red"
        gates = {row.gate: row for row in page.panel.checks.gates()}
        assert gates["capability"].verdict == "fail" and "<b>x</b>" in gates["capability"].reason
        assert gates["receipt"].verdict == "warn"
        assert find(page, "flow-outcome").text() == "Adds a capability"
        assert "3 of 7 calls" in find(page, "flow-why").text()
        assert page.diff.view.hunks() and not page.apply.isEnabled()
        assert page.panel.journal.topLevelItemCount() == 1
        await app.close()

    qloop.run(story(), timeout=60)
