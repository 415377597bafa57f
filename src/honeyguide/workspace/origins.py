"""Who decides, and by which way."""

from __future__ import annotations

import getpass
from dataclasses import dataclass

from honeyguide.storage.records import Actor as StoreActor
from honeyguide.versions import Actor as FileActor


@dataclass(frozen=True, slots=True)
class Origin:
    """Recorded with every decision.

    Attributes:
        way: ``window``, ``command line``, ``http``, ``mcp``, ``daemon`` or ``python``.
        user: the user of the operating system; empty where it has no name.
    """

    way: str = "python"
    user: str = ""

    @classmethod
    def here(cls, way: str = "python") -> Origin:
        """Return the present user of the operating system coming by ``way``."""
        try:
            return cls(way, getpass.getuser())
        except (OSError, KeyError, ImportError):
            return cls(way)

    @property
    def for_store(self) -> StoreActor:
        """The same for the database."""
        return StoreActor(self.way, self.user)

    @property
    def for_files(self) -> FileActor:
        """The same for the version store."""
        return FileActor(self.user or "unknown", self.way)
