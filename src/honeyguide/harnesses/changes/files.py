"""The files of a harness folder while they change: where they stand, what a change would make of them, all or none."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from honeyguide.harnesses.changes.editing import with_values
from honeyguide.harnesses.changes.proposal import SpecChange
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.fingerprints import NEVER_BEHAVIOUR
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import GateRefused, InvalidInput
from honeyguide.versions import Actor, Change, Deployer, LiveFile
from honeyguide.versions.diff import compare, hunks_of

KIND: Final = "harness"
_NEVER_COPIED: Final = (*NEVER_BEHAVIOUR, ".env", ".env.*")


def version_with(harness: Harness, text: str, files: Mapping[str, str]) -> str:
    """Return the version hash the folder would have. Raises GateRefused when it would be invalid."""
    with private_copy(harness, text, files) as copy:
        known = {(p.code, p.path) for p in harness.problems}
        new = [p for p in copy.problems if p.severity == "error" and (p.code, p.path) not in known]
        if new or copy.checked.spec is None:
            first = new[0] if new else copy.problems[0]
            raise GateRefused(
                f"With this change the folder is no valid harness: {first.message}",
                hint=first.remedy,
                details={"problems": [p.to_json() for p in new]},
            )
        return copy.version


@contextmanager
def private_copy(
    harness: Harness, text: str | None = None, files: Mapping[str, str] | None = None
) -> Iterator[Harness]:
    """Give a copy of the folder, without journals and secrets, that goes when the context ends."""
    with tempfile.TemporaryDirectory(prefix="honeyguide-harness-") as place:
        root = Path(place) / "harness"
        shutil.copytree(
            harness.root, root, symlinks=True, ignore=shutil.ignore_patterns(*_NEVER_COPIED, "*.pyc", "*.zip")
        )
        if text is not None:
            (root / FILE_NAME).write_bytes(text.encode("utf-8"))
        for name, source in (files or {}).items():
            path = inside(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.encode("utf-8"))
        yield Harness.open(root)


def code_diff(harness: Harness, file: str, source: str) -> dict[str, Any]:
    """Return the diff of one code file, as every ``diff`` is printed."""
    path = inside(harness.root, file)
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    return {"before": before, "after": source, "hunks": [h.to_json() for h in hunks_of(compare(before, source))]}


def spec_diff(harness: Harness, changes: Sequence[SpecChange]) -> dict[str, Any]:
    """Return the diff of ``harness.yaml`` that the accepted changes make."""
    before = harness.document.text
    after = with_values(before, [(c.path, c.value) for c in changes])
    return {"before": before, "after": after, "hunks": [h.to_json() for h in hunks_of(compare(before, after))]}


def inside(root: Path, name: str) -> Path:
    """Return a file of the folder. Raises InvalidInput when the name leads out of it."""
    base = root.resolve()
    path = (base / name).resolve()
    if not path.is_relative_to(base) or path == base:
        raise InvalidInput(f"{name!r} is not inside the harness folder.")
    return path


def deploy(harness: Harness, text: str, files: Mapping[str, str], deployer: Deployer, actor: Actor, note: str) -> None:
    """Write spec and files, all or none. Raises Stale, Locked, Unwritable."""
    changes = [Change(live_file(harness, FILE_NAME), encoded(harness, text), fingerprint(harness.file))]
    for name, source in sorted(files.items()):
        path = inside(harness.root, name)
        changes.append(Change(live_file(harness, name), source.encode("utf-8"), fingerprint(path)))
    deployer.deploy(changes, actor, note=note)


def live_file(harness: Harness, name: str) -> LiveFile:
    """Return a file of the folder as the version store knows it."""
    known_as = harness.identity if name == FILE_NAME else f"{harness.identity} {name}"
    return LiveFile(KIND, quote(known_as, safe=" @+=,()-_.~"), inside(harness.root, name), mode=0o644)


def encoded(harness: Harness, text: str) -> bytes:
    """Return the bytes of a spec's new text, with the byte-order mark that the file has."""
    mark = b"\xef\xbb\xbf" if harness.file.read_bytes().startswith(b"\xef\xbb\xbf") else b""
    return mark + text.encode("utf-8")


def fingerprint(path: Path) -> str | None:
    """Return the SHA-256 of a file; ``None`` where there is none."""
    return sha256_hex(path.read_bytes()) if path.is_file() else None
