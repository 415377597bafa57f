"""A draft of a harness is proven by the suite from its page: asked for, told of, kept, and marked when stale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from honeyguide.workspace import Origin
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_views import Harnesses
from tests.desktop.drivers import AppDriver, find, press, until
from tests.workspace.test_harness_suites import SUITE, drafted

BY = Origin.here("test")


def test_a_draft_is_proven_with_the_suite_from_its_page(
    qapp: QApplication, qloop: Any, sample: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "desk"

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        made = Harnesses(HarnessHome.of_workspace(app.desk.workspace))
        await made.init(folder, "desk", "answers", "You do the task you are given.", BY)
        drafted(folder)
        app.window.show_page("harnesses", str(folder))
        page: Any = app.window.page("harnesses")
        await until(lambda: page.proposals.data, "the draft")
        page.tabs.setCurrentIndex(2)
        tab = page.proposals.suite
        page.proposals.tabs.setCurrentWidget(tab)
        assert not tab.prove.isEnabled() and "no suite" in tab.prove.accessibleDescription()
        folder.with_name("desk.eval.yaml").write_text(SUITE)
        await made.trust(folder, BY, forget=True)
        page.read()
        await until(lambda: "trust" in tab.prove.accessibleDescription(), "the folder not to be trusted")
        await made.trust(folder, BY)
        page.read()
        await until(tab.prove.isEnabled, "proving to be on")
        press(tab.prove)
        dialog: Any = await app.dialog("harness-prove-dialog")
        other = dialog.findChildren(type(tab.prove), "harness-prove-dialog-other")
        press(other[0] if other else find(dialog, "harness-prove-dialog-go"))
        await until(lambda: page.proposals.suite.trials.topLevelItemCount() == 1, "the case, on both sides")
        item = tab.trials.topLevelItem(0)
        assert (item.text(0), item.text(1)) == ("greets by name", "red")
        assert page.working.isHidden() and app.desk.underway == []
        assert "1" in page.proposals.tabs.tabText(3)
        said = tab.said.text
        folder.with_name("desk.eval.yaml").write_text(SUITE + "\n# edited\n")
        page.read()
        await until(lambda: tab.said.isVisible() and tab.said.text != said, "the proof to be stale")
        assert "prove it again" in tab.said.text
        await app.close()

    qloop.run(story())
