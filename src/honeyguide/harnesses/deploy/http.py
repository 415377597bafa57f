"""A harness over HTTP: ``POST /runs`` and ``GET /healthz``, as hiveloom serves it. Inputs are text, never paths."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.ports import new_run_id
from honeyguide.harnesses.running.results import RUNTIME_VERSION, RunOutcome
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, Unsupported

KEY_VARIABLE: Final = "HIVELOOM_API_KEY"
MOST_BODY: Final = 10 * 1024 * 1024
_log = logging.getLogger(__name__)
_FIELDS: Final = frozenset({"input", "messages", "stream"})


class RunOnce(Protocol):
    """Runs the harness of a folder once."""

    def __call__(
        self,
        path: Path,
        input: str,
        *,
        run_id: str,
        on_event: Callable[[Mapping[str, Any]], None],
        is_stopped: Callable[[], str],
    ) -> Awaitable[RunOutcome]: ...


@dataclass(slots=True)
class HarnessServer:
    """What requests are answered from.

    Attributes:
        key: the key that ``/runs`` asks for; empty asks for none.
        concurrency: runs under way at most; one more is turned away with 429.
    """

    path: Path
    run: RunOnce
    key: str = ""
    concurrency: int = 1
    _stopped: dict[str, str] = field(default_factory=dict)
    _running: set[str] = field(default_factory=set)

    def app(self) -> Starlette:
        """Return the application."""
        routes = [
            Route("/healthz", self._health, methods=["GET"]),
            Route("/runs", self._runs, methods=["POST"]),
            Route("/runs/{id}/stop", self._stop, methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers={404: _unknown, 405: _unknown, 500: _broken})

    async def _health(self, request: Request) -> Response:
        harness = await asyncio.to_thread(lambda: Harness.open(self.path))
        return JSONResponse(
            {
                "ok": True,
                "name": harness.spec.name,
                "version_hash": harness.version,
                "hiveloom_version": RUNTIME_VERSION,
            }
        )

    async def _runs(self, request: Request) -> Response:
        if not has_key(request.headers, self.key):
            return _refused(401, "missing or invalid API key")
        try:
            input, stream = _asked(await _body(request))
        except InvalidInput as error:
            return _refused(400, error.message)
        except Unsupported as error:
            return _refused(422, error.message)
        if len(self._running) >= self.concurrency:
            return JSONResponse({"ok": False, "error": "at capacity"}, 429, {"Retry-After": "5"})
        run_id = new_run_id()
        self._running.add(run_id)
        if stream:
            waiting: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
            task = asyncio.create_task(self._one(run_id, input, waiting.put_nowait))
            task.add_done_callback(lambda _: waiting.put_nowait(None))
            return StreamingResponse(self._lines(run_id, task, waiting), media_type="application/x-ndjson")
        try:
            return JSONResponse(dict((await self._one(run_id, input, lambda event: None)).data))
        except HoneyguideError as error:
            return _refused(422 if error.exit_code in (2, 6) else 500, error.message)

    async def _lines(
        self, run_id: str, task: asyncio.Task[RunOutcome], waiting: asyncio.Queue[Mapping[str, Any] | None]
    ) -> AsyncIterator[bytes]:
        try:
            yield _line({"type": "run_accepted", "run_id": run_id})
            while (event := await waiting.get()) is not None:
                yield _line(event)
            try:
                yield _line({"type": "run_result", **task.result().data})
            except HoneyguideError as error:
                yield _line({"type": "run_result", "ok": False, "run_id": run_id, "error": error.message})
            except Exception as error:  # noqa: BLE001 - a stream ends with its result, whatever it is
                _log.warning("The run %s broke off.", run_id, exc_info=True)
                said = f"the run broke off ({type(error).__name__})"
                yield _line({"type": "run_result", "ok": False, "run_id": run_id, "error": said})
        finally:
            if not task.done():
                self._stopped[run_id] = "the caller went away"

    async def _one(self, run_id: str, input: str, told: Callable[[Mapping[str, Any]], None]) -> RunOutcome:
        loop = asyncio.get_running_loop()

        def on_event(event: Mapping[str, Any]) -> None:
            loop.call_soon_threadsafe(told, event)

        try:
            return await self.run(
                self.path, input, run_id=run_id, on_event=on_event, is_stopped=lambda: self._stopped.get(run_id, "")
            )
        finally:
            self._stopped.pop(run_id, None)
            self._running.discard(run_id)

    async def _stop(self, request: Request) -> Response:
        if not has_key(request.headers, self.key):
            return _refused(401, "missing or invalid API key")
        run_id = request.path_params["id"]
        if run_id not in self._running:
            return _refused(404, f"no running run with id '{run_id}'")
        self._stopped[run_id] = "stopped over HTTP"
        return JSONResponse({"ok": True, "run_id": run_id})


def has_key(headers: Mapping[str, str], key: str) -> bool:
    """Say whether a request brings the key, as Bearer or X-API-Key; compared in constant time."""
    if not key:
        return True
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    given = [headers.get("x-api-key", ""), bearer.strip() if scheme.casefold() == "bearer" else ""]
    return sum(hmac.compare_digest(one.encode(), key.encode()) for one in given) > 0


async def _body(request: Request) -> Mapping[str, Any]:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BODY:
            raise InvalidInput("the body is too large")
    try:
        body = json.loads(bytes(data))
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise InvalidInput("body must be a JSON object")
    return body


def _asked(body: Mapping[str, Any]) -> tuple[str, bool]:
    if unknown := sorted(set(body) - _FIELDS):
        raise InvalidInput(f"unknown fields: {unknown}")
    input, messages = body.get("input"), body.get("messages")
    has_input = isinstance(input, str) and bool(input)
    has_messages = isinstance(messages, list) and bool(messages)
    if has_input == has_messages:
        raise InvalidInput(
            'body must carry exactly one of a non-empty "input" string or a non-empty "messages" conversation'
        )
    stream = body.get("stream", False)
    if not isinstance(stream, bool):
        raise InvalidInput('"stream" must be true or false')
    if has_input:
        return str(input), stream
    assert isinstance(messages, list)
    for number, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ("user", "assistant"):
            raise Unsupported(f"messages[{number}].role must be 'user' or 'assistant' (got {role!r})")
    if len(messages) == 1 and messages[0]["role"] == "user" and isinstance(messages[0].get("content"), str):
        return messages[0]["content"], stream
    raise Unsupported("conversations of more than one turn are not supported; send the task as input")


async def _unknown(request: Request, error: Exception) -> Response:
    return _refused(404, f"unknown path {request.url.path}")


async def _broken(request: Request, error: Exception) -> Response:
    return _refused(500, f"the request broke off ({type(error).__name__})")


def _refused(status: int, said: str) -> Response:
    return JSONResponse({"ok": False, "error": said}, status)


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(data), ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8") + b"\n"
