"""What is known about one version of a target's file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from honeyguide.kernel.errors import Unreadable

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class Origin(StrEnum):
    """How a version came to be."""

    FOUND = "found"
    """The text that was live when it was first looked at, or when a person backed it up."""
    ACCEPTED = "accepted"
    RESTORED = "restored"
    EDITED_OUTSIDE = "edited-outside"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who decided, and on which way.

    Attributes:
        who: the user of the operating system.
        how: ``window``, ``command-line``, ``http``, ``python``, …
    """

    who: str
    how: str


@dataclass(frozen=True, slots=True)
class Version:
    """One stored state of a target's file; never changed, never lost.

    Attributes:
        kind, name: the target.
        n: its number, from 1.
        sha256: of its bytes.
        text_sha256: of the text that a run compares with (the same as ``sha256`` where the file is the text).
        size: in bytes.
        created_at: UTC, ISO 8601 with ``Z``.
        origin: how it came to be.
        run_uuid: the run that made it, if one did.
        note: what the person wrote.
        who, how: as in ``Actor``.
        removed: whether no file was there: the text that ships with the agent was live. The stored bytes are then
            that text, as far as it was known.
        restored_from: the number of the version it brought back.
        together: versions of other targets that came about in the same step, each ``KIND:NAME#N``.
    """

    kind: str
    name: str
    n: int
    sha256: str
    text_sha256: str
    size: int
    created_at: str
    origin: Origin
    run_uuid: str | None = None
    note: str = ""
    who: str = ""
    how: str = ""
    removed: bool = False
    restored_from: int | None = None
    together: tuple[str, ...] = ()

    @property
    def state(self) -> str | None:
        """The SHA-256 of the file while this version is live; ``None`` when there is no file then."""
        return None if self.removed else self.sha256

    @property
    def file_name(self) -> str:
        """The name of the file that holds its bytes."""
        return f"{self.n}-{self.sha256[:12]}"

    def to_json(self, *, current: bool) -> dict[str, object]:
        """Return the version as ``versions list --json`` prints it."""
        return {
            "n": self.n,
            "sha256": self.sha256,
            "created_at": self.created_at,
            "origin": self.origin.value,
            "run_uuid": self.run_uuid,
            "note": self.note,
            "current": current,
            "who": self.who,
            "how": self.how,
            "removed": self.removed,
            "restored_from": self.restored_from,
            "together": list(self.together),
            "text_sha256": self.text_sha256,
            "size": self.size,
        }


def version_before(history: Sequence[Version]) -> Version | None:
    """Return the newest version before the current (last) one whose state differs from it; ``None`` if none does.

    A restored version stands where the one it brought back stood, so that going back twice goes back two states.
    """
    current, place = history[-1], standing_for(history)
    for version in reversed(history):
        if version.n < place.n and version.state != current.state:
            return version
    return None


def standing_for(history: Sequence[Version]) -> Version:
    """Return the version that the current (last) one brought back, however often; itself when it brought none."""
    by_number = {version.n: version for version in history}
    place = history[-1]
    while place.restored_from in by_number and place.restored_from < place.n:
        place = by_number[place.restored_from]
    return place


def dump_version(version: Version) -> bytes:
    """Return the record as it stands beside the version's file."""
    return (json.dumps(asdict(version), indent=2, ensure_ascii=True) + "\n").encode("ascii")


@lru_cache(maxsize=1)
def _versions() -> TypeAdapter[Version]:
    from pydantic import TypeAdapter  # imported when there is something to read

    return TypeAdapter(Version)


def load_version(data: bytes, where: str) -> Version:
    """Read a record. Raises Unreadable, naming ``where`` it stands."""
    try:
        return _versions().validate_json(data)
    except ValueError as error:
        raise Unreadable(f"The record {where} is damaged.", hint="Its text is still there.") from error
