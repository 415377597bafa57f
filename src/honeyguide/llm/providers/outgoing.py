"""A request as it will leave, for the outbox; and a model as its provider lists it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from honeyguide.llm.protocol import ModelClient, ModelRequest


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What goes over the wire, without the key.

    Attributes:
        body: the JSON body, exactly.
        notes: what the person should know, e.g. that a setting is left out because the server refused it.
    """

    url: str
    body: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelListing:
    """One model a provider offers.

    Attributes:
        note: e.g. ``deprecated, retires 2026-11-30``; may be empty.
    """

    id: str
    name: str = ""
    note: str = ""


class Provider(ModelClient, Protocol):
    """A model's provider: the innermost client."""

    def preview(self, request: ModelRequest) -> Outgoing:
        """Return the request as it would be sent now; sends nothing."""
        ...

    async def list_models(self) -> list[ModelListing]:
        """Return what the provider offers, in its order. Raises ModelError."""
        ...

    async def close(self) -> None:
        """Give connections and child processes back; closing twice is harmless."""
        ...
