"""A model that cannot be reached: plain words, a run that is kept, one button to go on, one to the connection."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from honeyguide.llm.failures import tells_of_no_connection
from honeyguide.workspace import RunOptions
from tests.desktop.drivers import AppDriver, find, press, until


def test_a_run_without_a_connection_says_so_and_leads_to_the_connection(
    qapp: QApplication, qloop: Any, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OFF_API_KEY", "x")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        workspace = app.desk.workspace
        await workspace.set_setting("models.openai_servers", {"off": f"http://127.0.0.1:{port}/v1"})
        for role in ("executor", "judge", "mutator"):
            await workspace.set_setting(f"models.{role}", "off:x")
        uuid = await workspace.start_run("support", RunOptions())
        app.window.show_page("inbox", uuid)
        await until(lambda: uuid not in workspace.active_runs(), "the end of the run")
        review = app.inbox.page.review
        await until(lambda: review.review and review.review.detail.status == "aborted", "the review of the run")
        bar = find(review, "review-offline")
        assert bar.isVisible() and "Offline" in bar.accessibleName() and "kept" in bar.accessibleName()
        assert review.decision.resume.isVisible() and review.decision.resume.isEnabled()
        press(find(review, "review-offline-action"))
        await until(lambda: app.window.front == "settings", "the settings")
        row = app.window.page("settings").row("models.ca_file")
        await until(lambda: not row.visibleRegion().isEmpty(), "the certificates")
        assert app.window.focusWidget() is row.field
        await app.close()

    qloop.run(story(), timeout=90)


def test_only_a_lost_connection_is_called_one() -> None:
    assert tells_of_no_connection("The address of OpenAI (api.openai.com) could not be found.")
    assert tells_of_no_connection("Nothing answers at local (127.0.0.1).")
    assert tells_of_no_connection("inconclusive: … could not be scored: executor-failed: unreachable (5))")
    assert not tells_of_no_connection("OpenAI refused the key.")
    assert not tells_of_no_connection("The run was stopped.")
