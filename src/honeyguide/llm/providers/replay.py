"""Answers only from a journal: a past run looked at again, without any model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.journal import read_entries
from honeyguide.llm.journal_entries import request_data
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing


class ReplayProvider:
    """A journal's replies; ``replay:PROVIDER:MODEL`` answers as that model did."""

    def __init__(self, journal: Path) -> None:
        self._path = journal
        self._replies: dict[str, ModelReply] | None = None
        self._models: list[str] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``. Raises ModelRefused for anything the journal does not hold."""
        replies = await self._load()
        asked = replace(request, model=ModelRef.parse(request.model.model))
        reply = replies.get(asked.request_hash)
        if reply is None:
            raise model_error(Failure(FailureKind.NOT_RECORDED), who="replay")
        return replace(reply, cost_usd=0.0, cost_is_reported=False, replayed=True)

    def preview(self, request: ModelRequest) -> Outgoing:
        """As ``Provider.preview``."""
        return Outgoing("", request_data(request), ("Nothing is sent: the answer comes from a journal.",))

    async def list_models(self) -> list[ModelListing]:
        """Return the models that the journal holds replies of."""
        await self._load()
        return [ModelListing(name) for name in self._models]

    async def close(self) -> None:
        """Nothing to give back."""

    async def _load(self) -> dict[str, ModelReply]:
        if self._replies is None:
            self._replies = await asyncio.to_thread(self._read)
        return self._replies

    def _read(self) -> dict[str, ModelReply]:
        entries = [entry for entry in read_entries(self._path) if entry.kind == "reply"]
        self._models = sorted({entry.model for entry in entries})
        return {entry.request_hash: entry.to_reply() for entry in entries}
