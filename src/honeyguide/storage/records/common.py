"""Who causes a change, and the change itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who causes a change.

    Attributes:
        way: ``window``, ``cli``, ``http``, ``mcp``, ``daemon``, ``python``.
        os_user: the user of the operating system.
    """

    way: str = "python"
    os_user: str = ""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One change. ``origin`` is the ``instance`` of the store that made it."""

    id: int
    at: str
    name: str
    subject: str
    data: Json
    origin: str
    way: str
