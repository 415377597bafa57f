"""The files that the sample's agent ships with, copied into a new workspace."""

from __future__ import annotations

from pathlib import Path

from honeyguide.kernel.resources import resource


def write_base(workspace: Path) -> list[Path]:
    """Copy the sample's ``base`` folder into ``workspace``; returns what was written. Existing files stay."""
    source = resource("sample", "base")
    written = []
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        copy = workspace / "base" / file.relative_to(source)
        if copy.exists():
            continue
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        copy.chmod(0o600)
        written.append(copy)
    return written
