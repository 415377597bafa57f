"""Run an engine once: an agent program in a process group of its own, or a model through our own access."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from honeyguide.feedback.items import FailureClass
from honeyguide.flows.engines.table import SYSTEM_FILE, adapter_for, command_line
from honeyguide.flows.engines.watching import NoWatcher, ProcessWatcher
from honeyguide.kernel.errors import AuthFailed, ModelError, ModelRefused, NoKey, NotFound, Unreadable
from honeyguide.kernel.processes import end, run
from honeyguide.llm.protocol import Message, ModelClient, ModelRef, ModelRequest, ModelRole
from honeyguide.suites.runner import Attempt

GRACE_SECONDS: Final = 2.0
"""Between TERM and KILL."""
MAX_TOKENS: Final = 4096
ACTIVE_FLOW: Final = "MDFLOW_ACTIVE_FLOW"
_PRIVATE: Final = ("MDFLOW_CONFIG_CWD", "HONEYGUIDE_WORKSPACE")
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class EngineCall:
    """One execution.

    Attributes:
        prompt: the whole prompt, filled in.
        message: what is asked under it, where the engine can tell prompt and question apart.
        system: a system prompt for a model; the maintainer's instructions.
        fields: the frontmatter, for flags.
        arguments: further positional arguments.
        repetition: which trial this is, so that a model's answer is another sample and not a replay.
    """

    prompt: str
    cwd: Path
    timeout_ms: int
    message: str | None = None
    system: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    isolated: bool | None = None
    model: str | None = None
    repetition: int = 0
    role: ModelRole = ModelRole.EXECUTOR
    max_tokens: int = MAX_TOKENS


class Engine(Protocol):
    """Anything that answers a prompt."""

    name: str

    async def run(self, call: EngineCall) -> Attempt:
        """Run it once. Raises BudgetExceeded or Interrupted; other failures are part of the attempt."""
        ...

    def version(self) -> str:
        """Return what tells this engine from another version of itself."""
        ...


class ProcessEngine:
    """An agent program."""

    def __init__(
        self,
        name: str,
        environ: Mapping[str, str],
        *,
        config: Mapping[str, Any] | None = None,
        watcher: ProcessWatcher | None = None,
    ) -> None:
        self.name = name
        self._environ = environ
        self._config = config or {}
        self._watcher = watcher or NoWatcher()

    async def run(self, call: EngineCall) -> Attempt:
        """As ``Engine.run``. A missing program and an argument that cannot be passed end as exit code 127."""
        program = self._program()
        if program is None:
            return Attempt("", f"{self.name}: command not found", 127)
        fields = dict(call.fields) | ({"model": call.model} if call.model else {})
        prompt = f"{call.system}\n\n{call.prompt}" if call.system else call.prompt
        line = command_line(
            self.name, prompt, fields, arguments=call.arguments, config=self._config, isolated=call.isolated
        )
        if any("\0" in part for part in line.argv if SYSTEM_FILE not in part):
            return Attempt("", f"{self.name}: the prompt holds a NUL character", 127, failure=FailureClass.ENVIRONMENT)
        private = Path(await asyncio.to_thread(lambda: tempfile.mkdtemp(prefix="honeyguide-engine-")))
        try:
            argv, env = await asyncio.to_thread(self._prepared, line.argv, line.env, line.files, fields, call, private)
            return await self._run([program, *argv[1:]], env, call)
        finally:
            await asyncio.to_thread(lambda: shutil.rmtree(private, ignore_errors=True))

    def version(self) -> str:
        """Return a hash of the program's file; nothing is started for it. ``missing`` when there is none."""
        program = self._program()
        if program is None:
            return "missing"
        path = Path(os.path.realpath(program))
        digest = hashlib.sha256()
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                digest.update(str(size).encode())
                digest.update(file.read(4 * 1024 * 1024))
                if size > 8 * 1024 * 1024:
                    file.seek(-4 * 1024 * 1024, os.SEEK_END)
                digest.update(file.read(4 * 1024 * 1024))
        except OSError:
            return "unreadable"
        return digest.hexdigest()[:16]

    def _program(self) -> str | None:
        return shutil.which(self.name, path=self._environ.get("PATH"))

    def _prepared(
        self,
        argv: tuple[str, ...],
        extra: Mapping[str, str],
        files: tuple[tuple[str, str], ...],
        fields: Mapping[str, Any],
        call: EngineCall,
        private: Path,
    ) -> tuple[list[str], dict[str, str]]:
        path = private / "system.md"
        for _, content in files:
            path.write_text(content, encoding="utf-8")
        own = fields.get("_env")
        env = {**self._environ, **extra, **{str(k): _plain(v) for k, v in (own or {}).items()}} if isinstance(
            own, Mapping
        ) else {**self._environ, **extra}  # fmt: skip
        adapter = adapter_for(self.name)
        isolated = call.isolated if call.isolated is not None else fields.get("_isolated", True) is not False
        if adapter.isolated_home and isolated:
            env[adapter.isolated_home] = str(self._private_home(adapter.isolated_home, private))
        for name in _PRIVATE:
            env.pop(name, None)
        env[ACTIVE_FLOW] = "1"
        env = {name: value.replace(SYSTEM_FILE, str(path)) for name, value in env.items()}
        return [part.replace(SYSTEM_FILE, str(path)) for part in argv], env

    def _private_home(self, variable: str, private: Path) -> Path:
        """Make a folder that holds nothing of the person's settings but the way to their sign-in."""
        home = private / "home"
        home.mkdir(mode=0o700)
        real = Path(self._environ.get(variable) or Path(self._environ.get("HOME", "~")).expanduser() / ".codex")
        sign_in = real / "auth.json"
        if sign_in.is_file() and os.name == "posix":
            (home / "auth.json").symlink_to(sign_in.resolve())
        return home

    async def _run(self, argv: list[str], env: Mapping[str, str], call: EngineCall) -> Attempt:
        children: list[subprocess.Popen[bytes]] = []

        def started(process: subprocess.Popen[bytes]) -> None:
            children.append(process)
            self._watcher.started(process)

        def work() -> Attempt:
            try:
                finished = run(
                    argv, cwd=call.cwd, env=env, timeout=call.timeout_ms / 1000, grace=GRACE_SECONDS, on_start=started
                )
            except (NotFound, Unreadable, OSError, ValueError) as error:
                return Attempt("", f"{self.name}: {error}", 127, failure=FailureClass.ENVIRONMENT)
            finally:
                for process in children:
                    self._watcher.ended(process)
            code = finished.exit_code
            return Attempt(
                decoded(finished.stdout), decoded(finished.stderr), code if code is None or code >= 0 else 128 - code,
                finished.timed_out,
            )  # fmt: skip

        working = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            for process in children:
                await asyncio.to_thread(end, process, grace=GRACE_SECONDS)
            await working
            raise


class ModelEngine:
    """A model, through our own careful access."""

    def __init__(self, name: str, client: ModelClient, ref: ModelRef, *, prompt_is_system: bool = False) -> None:
        """``prompt_is_system``: the practice model reads its rules from the system prompt."""
        self.name = name
        self._client = client
        self._ref = ref
        self._prompt_is_system = prompt_is_system

    async def run(self, call: EngineCall) -> Attempt:
        """As ``Engine.run``."""
        system, message = call.system, call.message if call.message is not None else call.prompt
        if not call.system:
            own = call.fields.get("_system-prompt")
            system = own if isinstance(own, str) else ""
            if call.message is not None or self._prompt_is_system:
                system = f"{system}\n\n{call.prompt}".strip() if system else call.prompt
        request = ModelRequest(
            model=self._ref,
            messages=(Message("user", message or " "),),
            system=system,
            max_tokens=call.max_tokens,
            role=call.role,
            repetition=call.repetition,
        )
        try:
            reply = await asyncio.wait_for(self._client.complete(request), call.timeout_ms / 1000)
        except TimeoutError:
            return Attempt("", f"{self._ref} did not answer in time", None, timed_out=True)
        except (NoKey, AuthFailed) as error:
            return Attempt("", error.message, 1, failure=FailureClass.AUTH)
        except ModelRefused as error:
            return Attempt("", error.message, 1, failure=FailureClass.ENVIRONMENT)
        except ModelError as error:
            return Attempt("", error.message, 1, failure=FailureClass.PROVIDER)
        return Attempt(reply.text)

    def version(self) -> str:
        """Return the model's name; a provider does not say more."""
        return str(self._ref)


def decoded(data: bytes) -> str:
    """Return what a program printed, without colours; bytes that are no UTF-8 are spelled out."""
    return _ANSI.sub("", data.decode("utf-8", "backslashreplace"))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
