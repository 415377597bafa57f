"""States of a harness that can be gone back to: the files behind each version hash, kept once by content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import NotFound, Unreadable
from honeyguide.versions import write_atomically

FOLDER: Final = "snapshots"
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state.

    Attributes:
        files: path relative to the folder to SHA-256, ``harness.yaml`` among them.
        fingerprint: the wider hash of the folder when it was kept.
    """

    version: str
    created_at: str
    files: Mapping[str, str]
    fingerprint: str = ""


class Snapshots:
    """The states kept in one folder."""

    def __init__(self, ours: Path) -> None:
        self._folder = ours / FOLDER

    def keep(self, harness: Harness, at: str) -> str:
        """Keep the present state unless it is kept already, and return its version hash. Raises Unwritable."""
        found = harness.fingerprints
        files = {FILE_NAME: harness.file.read_bytes()}
        files |= {path: (harness.root / path).read_bytes() for path, _ in found.files}
        hashes = {path: sha256_hex(data) for path, data in files.items()}
        name = f"{found.hash}-{sha256_hex(json.dumps(hashes, sort_keys=True))[:8]}.json"
        manifest = self._folder / name
        if not manifest.exists():
            for data in files.values():
                blob = self._folder / "blobs" / sha256_hex(data)
                if not blob.exists():
                    write_atomically(blob, data)
            body = {
                "version": found.hash,
                "created_at": at,
                "files": hashes,
                "fingerprint": found.fingerprint,
            }
            write_atomically(manifest, (json.dumps(body, indent=2) + "\n").encode())
        return found.hash

    def all(self) -> list[Snapshot]:
        """Return every state, oldest first; damaged ones are passed over."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            try:
                data = json.loads(path.read_bytes())
                kept = Snapshot(
                    str(data["version"]),
                    str(data["created_at"]),
                    dict(data["files"]),
                    str(data.get("fingerprint", "")),
                )
                found.append(kept)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return sorted(found, key=lambda snapshot: snapshot.created_at)

    def newest_of(self, version: str) -> Snapshot:
        """Return the newest state of a version. Raises NotFound."""
        for snapshot in reversed(self.all()):
            if snapshot.version == version:
                return snapshot
        raise NotFound(
            f"No state of version {version} is kept.",
            hint="Kept are: " + (", ".join(dict.fromkeys(s.version for s in self.all())) or "none yet") + ".",
        )

    def bytes_of(self, sha256: str) -> bytes:
        """Return a kept file. Raises Unreadable when it is gone or damaged."""
        data = b""
        if len(sha256) == 64 and set(sha256) <= _HEX:
            try:
                data = (self._folder / "blobs" / sha256).read_bytes()
            except OSError:
                data = b""
        if sha256_hex(data) != sha256:
            raise Unreadable("A kept file of that version is gone or damaged.", hint="Restore it from git.")
        return data
