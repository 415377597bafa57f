"""Live prompts for agents in any language: the text with an entity tag, and a stream that says when to load it anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.server.answers import answer
from honeyguide.server.frames import Frame, event_stream, frame
from honeyguide.workspace import TargetKind, TargetRef, Workspace, WorkspaceEvent

BASE = "/api/prompts"
RELOADED = ":reloaded"
MOST_WAITING = 1000
MOST_MISSED = 1000


class PromptsApi:
    """Answers agents."""

    def __init__(self, workspace: Workspace, stopping: asyncio.Event) -> None:
        self._workspace = workspace
        self._stopping = stopping

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route(f"{BASE}/events", self.events, methods=["GET"]),
            Route(f"{BASE}/{{kind}}/{{name}}", self.prompt, methods=["GET"]),
        ]

    async def prompt(self, request: Request) -> Response:
        """Return the active text, as JSON or as plain text; 304 when the caller has it."""
        kind, name = request.path_params["kind"], request.path_params["name"]
        if kind not in set(TargetKind):
            raise NotFound(f"{kind!r} is not a kind of target.", hint=f"Kinds are: {', '.join(TargetKind)}.")
        found = await self._workspace.target(TargetRef(TargetKind(kind), name))
        etag = f'"{found.sha256}"'
        headers = {"etag": etag, "cache-control": "no-cache", "vary": "Accept"}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "text/plain" in request.headers.get("accept", ""):
            return Response(found.text, headers=headers, media_type="text/plain")
        return answer({"kind": kind, "name": name, "text": found.text, "sha256": found.sha256}, headers=headers)

    async def events(self, request: Request) -> Response:
        """Stream ``persona:reloaded`` and its like, from where ``Last-Event-ID`` left off."""
        last = request.headers.get("last-event-id", "").strip()
        if last and not (last.isdecimal() and len(last) < 19):
            raise InvalidInput("Last-Event-ID must be an id that this stream gave.")
        return event_stream(self._reloads(int(last) if last else None))

    async def _reloads(self, last: int | None) -> AsyncGenerator[Frame, None]:
        heard: asyncio.Queue[WorkspaceEvent] = asyncio.Queue(maxsize=MOST_WAITING)

        def hear(event: WorkspaceEvent) -> None:
            if event.kind.endswith(RELOADED) and not heard.full():
                heard.put_nowait(event)

        unsubscribe = self._workspace.subscribe(hear)
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            newest = await self._workspace.last_event_id()
            seen = newest if last is None or last > newest else last
            yield frame(str(seen), "open", {"since": seen})
            while seen < newest:
                batch = await self._workspace.events(seen, limit=MOST_MISSED)
                if not batch:
                    break
                for event in batch:
                    seen = event.id
                    if event.kind.endswith(RELOADED):
                        yield _told(event)
            while not heard.full():  # one that fell behind begins anew with its Last-Event-ID
                waiting = asyncio.ensure_future(heard.get())
                await asyncio.wait((waiting, stopping), return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    waiting.cancel()
                    return
                event = waiting.result()
                if event.id > seen:
                    seen = event.id
                    yield _told(event)
        finally:
            stopping.cancel()
            unsubscribe()


def _told(event: WorkspaceEvent) -> Frame:
    kind, _, name = event.subject.partition(":")
    data = {"kind": kind, "name": name, "version": event.data.get("version"), "at": event.at}
    return frame(str(event.id), event.kind, data)
