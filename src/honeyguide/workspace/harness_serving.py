"""Packing and serving harness folders, for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from honeyguide.harnesses.deploy.agents import build_server, offer
from honeyguide.harnesses.deploy.http import KEY_VARIABLE, HarnessServer, has_key
from honeyguide.harnesses.deploy.packaging import package
from honeyguide.harnesses.engine import hiveloom_program
from honeyguide.harnesses.evidence.statistics import statistics
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.harnesses.running.support import require_supported
from honeyguide.harnesses.trust import executes_code
from honeyguide.kernel.errors import InternalError, InvalidInput, PolicyRefused
from honeyguide.llm import ModelRef
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_records import open_records
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.harness_running import HIVELOOM, OWN_ENGINE, HarnessRunning
from honeyguide.workspace.views.harnesses import HarnessDocument

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class HarnessServing:
    """Everything that takes a harness elsewhere."""

    def __init__(self, home: HarnessHome, running: HarnessRunning) -> None:
        self.home = home
        self._running = running

    async def package(
        self, path: Path, out: Path, *, docker: bool = False, serve: bool = False, wheel: Path | None = None
    ) -> HarnessDocument:
        """Pack a folder; the source is not touched and nothing of it runs.

        An image starts trusted, so packing a folder for one is a decision on its code.

        Raises:
            Untrusted: its code is not trusted here, and it is packed for an image.
        """

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            if docker:
                self.home.trust.require(harness)
            made = package(harness, out, self.home.now, docker=docker, serve=serve, wheel=wheel)
            trusted = self.home.trust.state(harness).is_trusted or not executes_code(harness)
            return HarnessDocument({**made.to_json(harness.spec.name), "trusted": trusted})

        return await self.home.in_thread(work)

    async def serve(
        self,
        path: Path,
        host: str,
        port: int,
        *,
        model: ModelRef | None,
        concurrency: int,
        engine: str = OWN_ENGINE,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Serve a folder over HTTP until it is stopped. Raises Untrusted, Unsupported, PolicyRefused, NotFound.

        Args:
            engine: with hiveloom's, a stream has no events between its first and its last line, and stopping waits.
            ready: told once nothing stands in the way of serving.
        """
        harness = await self.home.in_thread(lambda: recovered(self.home, path))
        await self.home.in_thread(lambda: self.home.trust.require(harness))
        self._require_engine(harness, engine)
        key = self._key(host)
        ready()

        async def run(
            path: Path,
            input: str,
            *,
            run_id: str,
            on_event: Callable[[Mapping[str, Any]], None],
            is_stopped: Callable[[], str],
        ) -> RunOutcome:
            done = await self._running.run(
                path,
                input,
                model=model,
                engine=engine,
                confirmed=True,
                run_id=run_id,
                on_event=on_event,
                is_stopped=is_stopped,
            )
            return _outcome(done.outcome)

        await _listen(HarnessServer(path, run, key, concurrency).app(), host, port)

    async def mcp(
        self,
        paths: Sequence[Path],
        *,
        registered: bool,
        http: bool,
        host: str,
        port: int,
        model: ModelRef | None,
        warn: Callable[[str], None],
        engine: str = OWN_ENGINE,
    ) -> None:
        """Serve harnesses as MCP tools, over standard streams or HTTP, until it is stopped."""
        folders = list(paths)
        if registered:
            folders += [entry.path for entry in await self.home.in_thread(self.home.registered.entries)]
        key = self._key(host) if http else ""

        def require(harness: Harness) -> None:
            self.home.trust.require(harness)
            self._require_engine(harness, engine)

        offered = await self.home.in_thread(lambda: offer(folders, require, warn))
        if not offered:
            raise InvalidInput("There is no harness to serve.", hint="Name a folder, or register and trust one first.")

        async def run(path: Path, input: str) -> RunOutcome:
            return _outcome((await self._running.run(path, input, model=model, engine=engine, confirmed=True)).outcome)

        server = build_server(offered, run, lambda path: fitness_of(path, self.home.state))
        if http:
            await _listen(_Guarded(server.streamable_http_app(host=host), key), host, port)
        else:
            await server.run_stdio_async()

    def _require_engine(self, harness: Harness, engine: str) -> None:
        if engine == HIVELOOM:
            hiveloom_program(self.home.environ)
        else:
            require_supported(harness.spec)

    def _key(self, host: str) -> str:
        key = self.home.environ.get(KEY_VARIABLE, "")
        if host not in _LOOPBACK and not key:
            raise PolicyRefused(
                f"{host} can be reached from other computers, and {KEY_VARIABLE} is not set.",
                hint=f"Set {KEY_VARIABLE}, or bind 127.0.0.1.",
            )
        return key


def fitness_of(path: Path, state: Path) -> dict[str, Any]:
    """Return how well a harness does, rounded for a list."""
    opened = open_records(path, state)
    found = statistics(opened.runs, opened.harness.identity, opened.harness.spec.name, {})
    return {
        "total_runs": found["total_runs"],
        "success_rate": round(found["success_rate"], 3),
        "avg_cost_usd": round(found["avg_cost_usd"], 4),
        "avg_turns": round(found["avg_turns"], 1),
    }


class _Guarded:
    """Asks for the key before anything of an application is reached."""

    def __init__(self, app: Any, key: str) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and self._key:
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            if not has_key(headers, self._key):
                body = b'{"ok": false, "error": "missing or invalid API key"}'
                head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
                await send({"type": "http.response.start", "status": 401, "headers": head})
                await send({"type": "http.response.body", "body": body})
                return
        await self._app(scope, receive, send)


async def _listen(app: Any, host: str, port: int) -> None:
    import uvicorn

    await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning", lifespan="on")).serve()


def _outcome(outcome: RunOutcome | None) -> RunOutcome:
    if outcome is None:
        raise InternalError("The run came back without a result.")
    return outcome
