"""Server-sent events: one frame's shape, and the response that sends them with a heartbeat."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from honeyguide.server.answers import encoded

HEARTBEAT_SECONDS = 15
SEND_SECONDS = 30
"""A client that takes no byte for this long is let go; it may come again with ``Last-Event-ID``."""
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Frame:
    """One event.

    Attributes:
        id: what ``Last-Event-ID`` brings back.
        data: one line of JSON.
    """

    id: str
    event: str
    data: str


def frame(event_id: str, event: str, data: Any) -> Frame:
    """Return a frame with its data encoded once, for all who read it."""
    return Frame(event_id, event, encoded(data).decode())


def event_stream(frames: AsyncGenerator[Frame, None]) -> Response:
    """Return the response that sends ``frames``, and a comment line every 15 seconds."""

    async def lines() -> AsyncGenerator[ServerSentEvent, None]:
        async with aclosing(frames):
            async for one in frames:
                yield ServerSentEvent(one.data, event=one.event, id=one.id, sep="\n")

    return EventSourceResponse(
        lines(),
        headers={"cache-control": "no-cache, no-transform"},
        ping=HEARTBEAT_SECONDS,
        ping_message_factory=lambda: ServerSentEvent(comment="still here", sep="\n"),
        send_timeout=SEND_SECONDS,
        sep="\n",
    )


def wants_events(accept: str) -> bool:
    """Say whether an ``Accept`` header asks for an event stream."""
    return EVENT_STREAM in accept.lower()
