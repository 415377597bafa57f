"""What a change is about to do, written down before it does anything, so that any crash can be repaired.

The intent names hashes, never states: which file has which bytes tells how far the change came.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.kernel.errors import Unsupported
from honeyguide.versions.records import Version

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one file.

    Attributes:
        kind, name: the target.
        path: the file; relative to the workspace where it lies inside, so that a workspace can be moved.
        keeps_bak: whether the version before the current one is kept beside it as ``.bak``.
        mode: permissions if the file is new.
        before, after: SHA-256 of the file's bytes before and after; ``None`` where there is no file.
        noticed: a version to record first, because the live file was not the newest version.
        version: the version that the change makes; ``None`` when only ``noticed`` is recorded.
    """

    kind: str
    name: str
    path: str
    keeps_bak: bool
    mode: int
    before: str | None
    after: str | None
    noticed: Version | None
    version: Version | None

    @property
    def changes_the_file(self) -> bool:
        """Whether the live file is touched at all."""
        return self.before != self.after

    def versions(self) -> tuple[Version, ...]:
        """The versions it records, in order."""
        return tuple(version for version in (self.noticed, self.version) if version)

    def live_path(self, workspace: Path) -> Path:
        """Return the file's absolute path."""
        return workspace / self.path  # an absolute path replaces the workspace


@dataclass(frozen=True, slots=True)
class Intent:
    """One change of one or more files, all or none.

    Attributes:
        format: of this record.
        started_at: UTC, ISO 8601.
        steps: in the order in which the files are replaced.
    """

    format: int
    started_at: str
    steps: tuple[Step, ...]


def dump_intent(intent: Intent) -> bytes:
    """Return the intent as JSON."""
    return (json.dumps(asdict(intent), indent=1, ensure_ascii=True) + "\n").encode("ascii")


@lru_cache(maxsize=1)
def _intents() -> TypeAdapter[Intent]:
    from pydantic import TypeAdapter  # imported when there is something to read: it costs as much as the store

    return TypeAdapter(Intent)


def load_intent(data: bytes) -> Intent | None:
    """Read an intent; ``None`` when it is damaged. Raises Unsupported for one of a newer program."""
    try:
        raw = json.loads(data)
        if isinstance(raw, dict) and isinstance(raw.get("format"), int) and raw["format"] > FORMAT:
            raise Unsupported(
                "An unfinished change was begun by a newer Honeyguide.", hint="Open the workspace with that one once."
            )
        return _intents().validate_python(raw)
    except ValueError:
        return None
