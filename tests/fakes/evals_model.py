"""A model in a few lines: a function answers requests; executor answers and judge replies have their own helpers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.llm.blocks import read_blocks
from honeyguide.llm.protocol import ModelReply, ModelRequest, ModelRole

Answering = Callable[[ModelRequest], "str | ModelReply | HoneyguideError"]


class FakeModel:
    """Keeps the protocol of a model client: one request, one reply or one of our errors."""

    def __init__(self, answer: Answering, *, pause: Callable[[ModelRequest], float] | None = None) -> None:
        self.requests: list[ModelRequest] = []
        self.under_way = 0
        self.most_under_way = 0
        self._answer = answer
        self._pause = pause

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self._pause(request) if self._pause else 0)
            made = self._answer(request)
        finally:
            self.under_way -= 1
        if isinstance(made, HoneyguideError):
            raise made
        return made if isinstance(made, ModelReply) else ModelReply(made)

    def count(self, role: ModelRole) -> int:
        return sum(request.role is role for request in self.requests)


def blocks_of(request: ModelRequest) -> dict[str, str]:
    """Return the blocks of the last message by name."""
    return {block.name: block.text for block in read_blocks(request.messages[-1].content)}


def verdict(correctness: float, procedure: float = 8, conciseness: float = 8, feedback: str = "Fine.") -> str:
    """Return a judge's reply."""
    return json.dumps(
        {
            "correctness": correctness,
            "procedure": procedure,
            "conciseness": conciseness,
            "feedback": feedback,
        }
    )
