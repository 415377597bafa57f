"""The practice model as a provider: nothing is sent, nothing is to be closed."""

from __future__ import annotations

from honeyguide.llm.journal_entries import request_data
from honeyguide.llm.practice import PracticeClient
from honeyguide.llm.protocol import ModelReply, ModelRequest
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing


class PracticeProvider:
    """The simulated model that ships with the program."""

    def __init__(self) -> None:
        self._client = PracticeClient()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``."""
        return await self._client.complete(request)

    def preview(self, request: ModelRequest) -> Outgoing:
        """As ``Provider.preview``."""
        return Outgoing("", request_data(request), ("Nothing is sent: the practice model runs inside the program.",))

    async def list_models(self) -> list[ModelListing]:
        """Return the one model there is."""
        return [ModelListing("practice", "practice model", "a simulation; free")]

    async def close(self) -> None:
        """Nothing to give back."""
