"""The page of harness folders, by clicks and keys: look, trust, run, draft, tick, apply, reject, go back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.pages.harnesses import HarnessesPage
from honeyguide.desktop.widgets.diff import Side
from honeyguide.desktop.widgets.harness.points import HarnessPoint
from honeyguide.desktop.widgets.harness.timeline import HarnessTimeline
from honeyguide.harnesses.folder import Harness
from honeyguide.llm.prices import FreeQuote
from honeyguide.llm.protocol import ModelReply, ModelRequest, ModelRole, Usage
from tests.desktop.drivers import AppDriver, find, focus, key, keys, press, until
from tests.fakes.harness_folders import Scribe, write_folder

DRAFT = {
    "rationale": "Say the drawer first, as the check wants it.",
    "target": {"signal": "status:verify_failed", "expect": "decrease"},
    "yaml_changes": [
        {"path": "system_prompt", "value": "Begin with the drawer, as in drawer: 3.\n", "rationale": "the check"},
        {"path": "guardrails", "value": []},
    ],
    "code_changes": [
        {"file": "validators/tone.py", "source": "def check(run_output, run_context):\n    return {'passed': True}\n",
         "rationale": "be kinder"},
    ],
}  # fmt: skip


class Drawers:
    """A model that answers by its prompt and drafts what it is told to."""

    def __init__(self, *drafts: dict[str, Any]) -> None:
        self.drafts = list(drafts)

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.role is ModelRole.MUTATOR:
            return ModelReply(json.dumps(self.drafts.pop(0)), usage=Usage(10, 10))
        return ModelReply("drawer: 3" if "as in drawer" in request.system else "the third", usage=Usage(10, 10))

    async def close(self) -> None:
        """Nothing is open."""


def with_model(app: AppDriver, provider: Drawers) -> None:
    registry = app.desk.workspace._core.registry
    registry.provider = lambda ref: provider
    registry.quote = lambda ref, batch=False: FreeQuote()
    registry.costs_money = lambda ref: False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose live version failed four times out of seven; an older one did worse."""
    root = write_folder(tmp_path / "desk")
    scribe = Scribe(root)
    for number in range(5):
        scribe.run("verify_failed" if number else "success", version="0123456789ab", task=f"Older {number}?")
    for number in range(7):
        failed = number % 2 == 0
        scribe.run(
            "verify_failed" if failed else "success",
            task=f"Where is item {number}?",
            feedback=["output must match"] if failed else [],
        )
    return root


async def opened(app: AppDriver, folder: Path) -> HarnessesPage:
    page: HarnessesPage = app.go("harnesses")
    page.show_item(folder)
    await until(lambda: page._view is not None and page._view.overview.path == str(folder.resolve()), "the folder")
    return page


def test_versions_failures_and_locked_lines_of_a_folder_are_shown(
    qapp: QApplication, qloop: Any, sample: Path, folder: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("harnesses")
        await until(lambda: page.list_stack.state.kind == "empty", "the empty state")
        assert find(page, "state-open").isVisible()
        page = await opened(app, folder)
        points = page.versions.timeline.model.points
        assert [p.is_live for p in points] == [True, False]
        assert (points[0].successes, points[0].finished) == (3, 7)
        assert points[0].interval is not None and points[0].interval[0] < points[0].rate < points[0].interval[1]
        assert not page.versions.timeline.roll_back.isEnabled()
        assert {row.kind for row in page.failures.model.all_rows()} >= {"verdict", "status"}
        assert page.panel.trust_hint.isVisible()
        lines = [(line.text, line.lock) for line in page._view.overview.lines]
        assert next(lock for text, lock in lines if text.startswith("guardrails")) == "frozen"
        place = next(number for number, (text, _) in enumerate(lines) if text.startswith("guardrails"))
        assert page.panel.file.lock_of(place) == "frozen"
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_person_trusts_runs_drafts_ticks_applies_and_goes_back(
    qapp: QApplication, qloop: Any, sample: Path, folder: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        with_model(app, Drawers(DRAFT))
        page = await opened(app, folder)
        before = (folder / "harness.yaml").read_bytes()

        press(find(page, "harness-run-open"))
        dialog = await app.dialog("harness-run")
        keys(find(dialog, "harness-run-input"), "Where are the pens?")
        assert not find(dialog, "harness-run-go").isEnabled()
        assert "trusted" in find(dialog, "harness-run-go").toolTip()
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)

        press(find(page.panel.trust_hint, "harness-trust-hint-action"))
        dialog = await app.dialog("harness-trust")
        assert find(dialog, "harness-trust-cancel").isDefault()
        press(find(dialog, "harness-trust-go"))
        await app.gone(dialog)
        await until(lambda: page._view.look.is_trusted, "the trust")

        press(find(page, "harness-run-open"))
        dialog = await app.dialog("harness-run")
        assert find(dialog, "harness-run-input").toPlainText() == "Where are the pens?"
        press(find(dialog, "harness-run-go"))
        await until(lambda: find(dialog, "harness-run-output").toPlainText() == "the third", "the answer")
        assert find(dialog, "harness-run-events").count() > 2
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)
        await until(lambda: page.versions.timeline.model.points[0].runs == 8, "the run to count")

        press(find(page, "harness-evolve-open"))
        dialog = await app.dialog("harness-evolve")
        await until(find(dialog, "harness-evolve-go").isEnabled, "the plan")
        assert "calls" in find(dialog, "harness-evolve-plan").text()
        press(find(dialog, "harness-evolve-go"))
        await until(lambda: page.proposals.data.get("status") == "pending", "the draft")
        tab = page.proposals
        assert page.tabs.currentWidget() is tab
        assert "Not measured" in tab.proof.text
        assert tab.parts.plain() == ["system_prompt"]
        refused = [tab.parts.topLevelItem(n).text(0) for n in range(tab.parts.topLevelItemCount())]
        assert "guardrails" in refused
        file = tab.diff.files()[0]
        assert file.name == "harness.yaml" and file.locks
        text = before.decode()
        assert any(text[start:end].startswith("guardrails") for start, end in file.locks)
        assert any(m.mark.kind == "lock" for marks in tab.diff.panel.view.located_marks().values() for m in marks)
        assert all(m.mark.side is Side.BEFORE for marks in tab.diff.panel.view.located_marks().values() for m in marks)

        press(find(page, "harness-apply"))
        dialog = await app.dialog("harness-apply")
        assert "validators/tone.py" in dialog.accessibleName() + "".join(_labels(dialog))
        press(find(dialog, "harness-apply-go"))
        await app.gone(dialog)
        await until(lambda: "as in drawer" in (folder / "harness.yaml").read_text(), "the change")
        assert "kinder" not in (folder / "validators/tone.py").read_text()
        await until(lambda: page.versions.timeline.model.points[0].came_by == "applied", "the new version")
        await until(lambda: tab.data.get("remaining") == ["validators/tone.py"], "the rest to wait")
        assert not tab.apply.isEnabled()

        await app.come_forward()
        await focus(tab.table)
        key(tab.table, Qt.Key.Key_R)
        dialog = await app.dialog("reject-dialog")
        press(find(dialog, "reject-quick-risk"))
        press(find(dialog, "reject-go"))
        await app.gone(dialog)
        await until(lambda: tab.data.get("status") == "rejected", "the rejection")

        page.tabs.setCurrentIndex(0)
        timeline = page.versions.timeline
        old = next(n for n, p in enumerate(timeline.model.points) if p.is_kept and not p.is_live)
        timeline.list.setCurrentIndex(timeline.model.index(old))
        press(timeline.compare)
        await until(lambda: page.versions.diff.isVisible(), "the comparison")
        press(timeline.roll_back)
        dialog = await app.dialog("harness-rollback")
        assert find(dialog, "harness-rollback-cancel").isDefault()
        press(find(dialog, "harness-rollback-go"))
        await app.gone(dialog)
        await until(lambda: (folder / "harness.yaml").read_bytes() == before, "the way back")
        await app.close()

    qloop.run(story(), timeout=90)


def test_a_draft_shows_each_input_of_its_proof_and_what_the_proof_rests_on(
    qapp: QApplication, qloop: Any, sample: Path, folder: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        with_model(app, Drawers(DRAFT))
        page = await opened(app, folder)
        await page.folders.trust(folder)
        page.read()
        await until(lambda: page._view.look.is_trusted, "the trust")
        press(find(page, "harness-evolve-open"))
        dialog = await app.dialog("harness-evolve")
        find(dialog, "harness-evolve-replay").setValue(3)
        await until(find(dialog, "harness-evolve-go").isEnabled, "the plan")
        press(find(dialog, "harness-evolve-go"))
        tab = page.proposals
        await until(lambda: tab.data.get("status") == "pending", "the draft")
        tree = find(page, "harness-trials")
        cases = [tree.topLevelItem(n) for n in range(tree.topLevelItemCount())]
        assert len(cases) == 3 and tab.tabs.tabText(1) == "Trials 3"
        assert all(case.text(0).startswith("Where is item ") for case in cases)
        assert {(case.text(1), case.text(2)) for case in cases} == {("red", "green")}
        assert sorted(case.text(3) for case in cases) == ["", "a recorded failure", "a recorded failure"]
        assert cases[0].childCount() == 1 and cases[0].child(0).text(4) == "verify failed"
        rows = {row.gate: row for row in tab.receipt.gates()}
        digest = tab.data["proof"]["receipt"]["digest"]
        assert rows["receipt"].verdict == "pass" and digest[:12] in rows["receipt"].reason
        assert {"baseline", "candidate", "inputs", "executor_model", "product", "thresholds"} <= set(rows)
        assert all(row.verdict == "pass" for row in rows.values())
        assert Harness.open(folder).version in rows["baseline"].reason

        spec = (folder / "harness.yaml").read_text(encoding="utf-8")
        changed = spec.replace("Say which drawer", "Tell which drawer")
        (folder / "harness.yaml").write_text(changed, encoding="utf-8")
        page.read()
        await until(lambda: (tab.data.get("receipt_state") or {}).get("state") == "stale", "the stale receipt")
        rows = {row.gate: row for row in tab.receipt.gates()}
        assert rows["receipt"].verdict == rows["baseline"].verdict == "warn"
        assert "The current text changed since." in rows["baseline"].reason
        assert rows["inputs"].verdict == "pass"
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_folder_that_is_no_harness_says_why_and_leaves_the_list(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("harnesses")
        (tmp_path / "broken").mkdir()
        (tmp_path / "broken" / "harness.yaml").write_text("name: x\nloop: [1\n", encoding="utf-8")
        page.show_item(tmp_path / "broken")
        await until(lambda: page.detail_stack.state.kind == "error", "the error")
        assert "line" in page.detail_stack.state.accessibleName()
        assert page.model.all_rows()[0].problem
        await page.folders.forget(tmp_path / "broken")
        page.read()
        await until(lambda: page.model.total == 0, "an empty list")
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_new_folder_is_made_and_opened(qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        page = app.go("harnesses")
        made = await page.folders.make(
            {"path": tmp_path / "clerk", "name": "clerk", "description": "Answers.", "prompt": "You answer."}
        )
        page.show_item(made)
        await until(lambda: page._view is not None and page._view.overview.name == "clerk", "the folder")
        assert page._view.look.is_trusted
        assert Harness.open(made).checked.is_valid
        assert page.versions.timeline.model.points[0].runs == 0
        await app.close()

    qloop.run(story(), timeout=60)


def test_the_timeline_says_in_words_what_it_paints(qtbot: Any, shown: Any) -> None:
    timeline = HarnessTimeline()
    timeline.set_versions(
        [
            HarnessPoint("aaaaaaaaaaaa", False, False, None, 3, 2, 0, 2 / 3, (0.2, 0.94), 0.01),
            HarnessPoint("bbbbbbbbbbbb", True, True, None, 0, 0, 0, None, None, None, "applied", "<b>why</b>", "Ada"),
        ]
    )
    shown(timeline, 600, 300)
    said = [timeline.model.index(n).data() for n in (0, 1)]
    assert said[0].startswith("bbbbbbbbbbbb · live now. It has not run yet.") and "<b>why</b>" in said[0]
    assert "2 of 3 runs succeeded" in said[1] and "67 % (20 to 94)" in said[1]
    assert [p.version for p in timeline.chosen()] == ["bbbbbbbbbbbb"]
    timeline.list.setCurrentIndex(timeline.model.index(1))
    assert not timeline.compare.isEnabled() and "not kept" in timeline.compare.toolTip()


def _labels(dialog: Any) -> list[str]:
    from honeyguide.desktop.widgets.labels import PlainLabel

    return [label.raw_text() for label in dialog.findChildren(PlainLabel)]
