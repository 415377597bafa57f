"""A model file on this computer, run by a child process of ours, so that nobody needs a server or an account.

The child is llama.cpp's own server inside the optional package ``xllamacpp``. It listens on loopback only, wants a
key that is made for this one start, and ends when this program does, however that happens.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from honeyguide.kernel import processes
from honeyguide.kernel.errors import ModelError, Unreadable
from honeyguide.llm.connections import Connection, HeaderListener
from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.protocol import ModelReply, ModelRequest, ModelRole
from honeyguide.llm.providers.openai import OpenAIProvider
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing
from honeyguide.llm.settings import LOCAL_TIMEOUT

START_TIME = 180.0
"""Seconds a model may take to load."""
GGUF_MAGIC = b"GGUF"
KEY_VARIABLE = "HONEYGUIDE_GGUF_KEY"
READY = "ready "
"""What the child prints, followed by its port, when it answers."""


def is_installed() -> bool:
    """Say whether the optional part that runs model files is here; imports nothing heavy."""
    return importlib.util.find_spec("xllamacpp") is not None


def check_model_file(path: Path) -> None:
    """Raise Unreadable unless ``path`` is a GGUF file."""
    try:
        with path.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise Unreadable(f"The model file {path.name} cannot be opened: {error.strerror}.") from error
    if magic != GGUF_MAGIC:
        raise Unreadable(f"{path.name} is not a GGUF model file.", hint="Choose a file that ends in .gguf.")


class GgufProvider:
    """One model file, served by a child process that is started with the first call."""

    def __init__(
        self,
        path: Path,
        *,
        context: int = 4096,
        slots: int = 1,
        timeout: Callable[[ModelRole], float] = lambda role: LOCAL_TIMEOUT,
        command: Sequence[str] | None = None,
        on_headers: HeaderListener | None = None,
    ) -> None:
        """
        Args:
            context: tokens one conversation may have.
            slots: conversations at once; more than one gains nothing on a small processor.
            timeout: seconds for a call of a role.
            command: how the child is started; ours by default (a frozen app names its own).
        """
        self._path = path
        self._context = context
        self._slots = slots
        self._timeout = timeout
        self._command = command
        self._on_headers = on_headers
        self._child: subprocess.Popen[bytes] | None = None
        self._server: OpenAIProvider | None = None
        self._starting = asyncio.Lock()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; the first call waits for the model to load."""
        return await (await self._started()).complete(request)

    def preview(self, request: ModelRequest) -> Outgoing:
        """As ``Provider.preview``."""
        shown = self._server or OpenAIProvider(self._connection(0, ""))
        return Outgoing("", shown.preview(request).body, ("It stays on this computer: a child process answers.",))

    async def list_models(self) -> list[ModelListing]:
        """Return the one model there is."""
        return [ModelListing(self._path.name, self._path.stem)]

    async def close(self) -> None:
        """End the child process."""
        server, self._server = self._server, None
        child, self._child = self._child, None
        if server is not None:
            await server.close()
        if child is not None:
            await asyncio.to_thread(_end, child)

    async def _started(self) -> OpenAIProvider:
        async with self._starting:
            if self._child is not None and self._child.poll() is not None:
                await self.close()
            if self._server is None:
                key = secrets.token_urlsafe(24)
                port = await asyncio.to_thread(self._start, key)
                self._server = OpenAIProvider(self._connection(port, key), self._on_headers)
            return self._server

    def _connection(self, port: int, key: str) -> Connection:
        return Connection(
            provider="gguf",
            dialect="openai",
            base_url=f"http://127.0.0.1:{port}/v1",
            find_key=lambda: key,
            timeout=self._timeout,
        )

    def _start(self, key: str) -> int:
        check_model_file(self._path)
        if self._command is None and not is_installed():
            raise model_error(Failure(FailureKind.NOT_INSTALLED), who="gguf")
        command = self._command or (sys.executable, "-m", "honeyguide.llm.providers.gguf_server")
        child = processes.start(
            [*command, str(self._path), str(self._context), str(self._slots)],
            env={**os.environ, KEY_VARIABLE: key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = _port_of(child)
        except BaseException:
            _end(child)
            raise
        self._child = child
        return port


def _port_of(child: subprocess.Popen[bytes]) -> int:
    """Read the child's port; the model is loaded by then."""
    assert child.stdout is not None
    stdout = child.stdout
    found: list[int] = []

    def read() -> None:
        for line in stdout:
            if line.startswith(READY.encode()):
                found.append(int(line.split()[1]))
                return

    reader = threading.Thread(target=read, name="gguf-start", daemon=True)
    reader.start()
    reader.join(START_TIME)
    if found:
        return found[0]
    raise _did_not_start(child)


def _did_not_start(child: subprocess.Popen[bytes]) -> ModelError:
    code = child.poll()
    why = "it took too long" if code is None else f"its process ended with {code}"
    failure = Failure(FailureKind.SERVER)
    return model_error(failure, who="the model file's process", said=f"the model did not load, {why}")


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    processes.end(child)
    if child.stdout is not None:
        child.stdout.close()
