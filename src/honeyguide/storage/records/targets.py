"""Targets, locked passages, versions."""

from __future__ import annotations

from dataclasses import dataclass, field

from honeyguide.storage.records.common import Json


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """A registered target in a file of its own.

    Attributes:
        span: which part of the file is the text, as the carrier wrote it.
        encoding: the file's encoding as found.
        options: whatever else the carrier keeps.
    """

    kind: str
    name: str
    path: str
    span: Json = field(default_factory=dict)
    encoding: str = "utf-8"
    options: Json = field(default_factory=dict)
    added_at: str = ""


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A passage that must stay."""

    id: int
    target_kind: str
    target_name: str
    text: str
    created_at: str


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One version of a target as the store on disk holds it."""

    target_kind: str
    target_name: str
    n: int
    sha256: str
    created_at: str
    origin: str
    run_uuid: str | None = None
    note: str | None = None
