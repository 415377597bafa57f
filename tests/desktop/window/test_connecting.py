"""Connecting a model: what stands in the fields is what is asked, whichever button is pressed first."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.dialogs.connect_model import server_name
from honeyguide.workspace import Workspace
from tests.desktop.drivers import AppDriver, find, press, until


class _Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        answer = {"role": "assistant", "content": "ready"}
        body = {"model": "tiny", "choices": [{"index": 0, "finish_reason": "stop", "message": answer}]}
        data = json.dumps(body | {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_address_that_was_just_typed_is_the_one_that_is_asked(
    qapp: QApplication, qloop: Any, tmp_path: Path, address: str
) -> None:
    async def story() -> None:
        async with await Workspace.create(tmp_path / "own"):
            pass
        app = await AppDriver(qapp, tmp_path / "own").start()
        app.press("nav-model")
        dialog = await app.dialog("connect-model-dialog")
        provider, model = find(dialog, "connect-provider"), find(dialog, "connect-name")
        await until(lambda: provider.count(), "the providers")
        provider.setCurrentIndex(provider.findData("lmstudio"))
        model.setEditText("tiny")
        find(dialog, "connect-address").setText(address)
        press(find(dialog, "connect-test"))
        said = find(dialog, "connect-hint")
        await until(lambda: " ms" in said.accessibleName() or "Nothing answers" in said.accessibleName(), "the test")
        assert "Nothing answers" not in said.accessibleName()
        assert said.accessibleName().count(" ms") == 1
        assert model.currentText() == "tiny"
        press(find(dialog, "connect-use"))
        await app.gone(dialog)
        assert app.desk.workspace.setting("models.base_urls") == {"lmstudio": address}
        await app.close()

    qloop.run(story(), timeout=60)


def test_a_server_that_is_in_no_list_is_added_by_its_address(
    qapp: QApplication, qloop: Any, tmp_path: Path, address: str
) -> None:
    async def story() -> None:
        async with await Workspace.create(tmp_path / "own"):
            pass
        app = await AppDriver(qapp, tmp_path / "own").start()
        app.press("nav-model")
        dialog = await app.dialog("connect-model-dialog")
        provider, model = find(dialog, "connect-provider"), find(dialog, "connect-name")
        await until(lambda: provider.count(), "the providers")
        provider.setCurrentIndex(provider.findText("Another server…"))
        asked = await app.dialog("add-server")
        find(asked, "add-server-text").setText(address)
        press(find(asked, "add-server-go"))
        await until(lambda: provider.currentData() == "server-127-0-0-1", "the new server to be chosen")
        model.setEditText("tiny")
        press(find(dialog, "connect-test"))
        said = find(dialog, "connect-hint")
        await until(lambda: " ms" in said.accessibleName(), "the test")
        press(find(dialog, "connect-use"))
        await app.gone(dialog)
        assert app.desk.workspace.setting("models.executor") == "server-127-0-0-1:tiny"
        await app.close()

    qloop.run(story(), timeout=60)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://Models.Example.org/v1", "models-example-org"),
        ("openai", "openai-2"),
        ("127.0.0.1:8080", "server-127-0-0-1"),
        ("http://", "server"),
    ],
)
def test_a_server_is_named_after_its_host(address: str, name: str) -> None:
    assert server_name(address, ["openai"]) == name
