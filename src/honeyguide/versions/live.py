"""Where a target's text is live, what shall become of it, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.versions.records import Version

Compose = Callable[[bytes | None], bytes]
"""Makes the new bytes of a file from the live ones (``None``: no file); called under the lock."""


@dataclass(frozen=True, slots=True)
class LiveFile:
    """Where a target's text is live.

    Attributes:
        kind, name: the target.
        path: its file: an override in the workspace, or the target's own file elsewhere (a link is followed).
        keeps_bak: whether ``{file}.bak`` is kept beside it; only for files inside the workspace.
        mode: permissions of a file that is not there yet.
        builtin: what is live while there is no file (the text that ships with the agent); empty if nothing is.
        fingerprint: from the live bytes to the hash that a run compares; by default the SHA-256 of all bytes, so that
            any edit of the file counts. Where only the text inside counts, its SHA-256.
    """

    kind: str
    name: str
    path: Path
    keeps_bak: bool = False
    mode: int = 0o600
    builtin: bytes = b""
    fingerprint: Callable[[bytes], str] = sha256_hex


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a deploy.

    Attributes:
        live: the file.
        data: its new bytes, or how to make them from the live ones; ``None`` removes the file.
        expected: the fingerprint of the live text when the run began; ``None`` takes whatever is live.
    """

    live: LiveFile
    data: bytes | Compose | None
    expected: str | None


@dataclass(frozen=True, slots=True)
class Expected:
    """A file that a deploy leaves alone, and the fingerprint that its live text has to have."""

    live: LiveFile
    expected: str


@dataclass(frozen=True, slots=True)
class Deployed:
    """What happened to one file.

    Attributes:
        live: the file as given.
        path: where its bytes really are, links followed.
        version: the version that is live now.
        noticed: a version that was recorded on the way, because the live file was not the newest version.
        backup_path: the ``.bak`` beside it, if there is one now.
    """

    live: LiveFile
    path: Path
    version: Version
    noticed: Version | None
    backup_path: Path | None

    @property
    def deployed_at(self) -> str:
        """When, UTC, ISO 8601."""
        return self.version.created_at


@dataclass(frozen=True, slots=True)
class History:
    """The versions of a target and which of them is live.

    Attributes:
        live: the file.
        versions: oldest first.
        current: number of the live version; ``None`` when the live file is none of them.
        edited_outside: whether the live file was changed by another program since the newest version.
    """

    live: LiveFile
    versions: tuple[Version, ...]
    current: int | None
    edited_outside: bool

    def to_json(self) -> dict[str, object]:
        """Return the body of ``versions list --json``."""
        return {
            "target": self.live.name,
            "kind": self.live.kind,
            "path": str(self.live.path),
            "edited_outside": self.edited_outside,
            "versions": [version.to_json(current=version.n == self.current) for version in self.versions],
            "total": len(self.versions),
        }


def state_of(data: bytes | None) -> str | None:
    """Return the SHA-256 of a file's bytes, or ``None`` for no file; compares with ``Version.state``."""
    return None if data is None else sha256_hex(data)
