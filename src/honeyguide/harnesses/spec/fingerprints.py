"""What tells two states of a harness apart: hiveloom's version hash, and a wider fingerprint of our own.

The version hash covers the canonical spec and the files it names. It does not see what those files import or read, so
the fingerprint covers every file of the folder that can change what a run does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from honeyguide.harnesses.spec.canonical import hashed_text
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import AnyRef, CodeRef
from honeyguide.kernel.errors import Unreadable

HASH_DIGITS = 12
NEVER_BEHAVIOUR = frozenset({".hiveloom", ".git", ".venv", "__pycache__", ".idea", ".vscode", ".mypy_cache"})
"""Folders whose content no run reads."""
_NOT_BEHAVIOUR = (".pyc", ".pyo", ".bak", ".zip")
_ABOUT_THE_FOLDER = frozenset(
    {
        "harness.yaml", ".gitignore", ".gitattributes", ".dockerignore", ".env.example", ".env.template", "Dockerfile",
        "hiveloom.lock", "README.md", "CHANGELOG.md", "LICENSE",
    }
)  # fmt: skip
"""Files at the top that speak about the folder; ``harness.yaml`` is there as the canonical spec."""
MOST_FILES = 5_000
MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Three hashes of one folder.

    Attributes:
        hash: the version hash: 12 hex digits, bit for bit hiveloom's.
        spec_hash: the same without any file.
        fingerprint: 12 hex digits over the canonical spec and every file that can matter.
        files: what the version hash covers beside the spec, as (recorded path, SHA-256), sorted as it hashes them.
        beyond: files that only the fingerprint covers.
        skipped: files that the spec names and that are missing or lead out of the folder; hiveloom hashes without them.
    """

    hash: str
    spec_hash: str
    fingerprint: str
    files: tuple[tuple[str, str], ...]
    beyond: tuple[str, ...]
    skipped: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the body of ``harness hash --json``."""
        return {
            "hash": self.hash,
            "spec_hash": self.spec_hash,
            "fingerprint": self.fingerprint,
            "files": [path for path, _ in self.files],
            "beyond": list(self.beyond),
            "skipped": list(self.skipped),
        }


def version_hash(spec: HarnessSpec, root: Path | None) -> str:
    """Return the version hash; without a ``root`` that of the spec alone."""
    digest = hashlib.sha256(hashed_text(spec).encode("utf-8"))
    if root is not None:
        for recorded, file in hashed_files(spec, root):
            digest.update(recorded.encode("utf-8") + b"\0" + _bytes(file) + b"\0")
    return digest.hexdigest()[:HASH_DIGITS]


def fingerprints(spec: HarnessSpec, root: Path) -> Fingerprints:
    """Return all hashes of the folder ``root``. Raises Unreadable."""
    text = hashed_text(spec).encode("utf-8")
    digest = hashlib.sha256(text)
    files = []
    for recorded, file in hashed_files(spec, root):
        data = _bytes(file)
        digest.update(recorded.encode("utf-8") + b"\0" + data + b"\0")
        files.append((recorded, hashlib.sha256(data).hexdigest()))
    known = {path for path, _ in files}
    wide = hashlib.sha256(text)
    beyond = []
    for relative, file in behaviour_files(root, spec.logging.trace_dir):
        name = relative.as_posix()
        wide.update(name.encode("utf-8") + b"\0" + hashlib.sha256(_bytes(file)).digest())
        if name not in known:
            beyond.append(name)
    return Fingerprints(
        hash=digest.hexdigest()[:HASH_DIGITS],
        spec_hash=hashlib.sha256(text).hexdigest()[:HASH_DIGITS],
        fingerprint=wide.hexdigest()[:HASH_DIGITS],
        files=tuple(files),
        beyond=tuple(beyond),
        skipped=tuple(sorted(set(named_files(spec)) - _found(spec, root))),
    )


def named_files(spec: HarnessSpec) -> list[str]:
    """Return the files that a spec names, as it names them (skills are folders and not among them)."""
    refs: list[AnyRef] = [*spec.tools, *spec.guardrails, *spec.verify.validators, *spec.hooks]
    named: list[str] = []
    for playbook in spec.playbooks:
        refs += playbook.validators
        if playbook.prompt:
            named.append(playbook.prompt)
        named += [hook.rpartition(":")[0] for hook in (playbook.on_enter, playbook.on_exit) if hook]
    for ref in refs:
        if isinstance(ref, CodeRef):
            named.append(ref.file)
        elif isinstance(schema := ref.parameters.get("schema_file"), str):
            named.append(schema)
    named += [extension for extension in spec.extensions if extension.endswith(".py")]
    return [name for name in named if name]


def hashed_files(spec: HarnessSpec, root: Path) -> list[tuple[str, Path]]:
    """Return (recorded path, file) in the order of hashing: inside the folder, existing, each once."""
    base = root.resolve()
    found: dict[PurePosixPath, Path] = {}
    candidates: list[Path] = [base / name for name in named_files(spec) if not PurePosixPath(name).is_absolute()]
    for skill in spec.skills:
        folder = base / "skills" / skill
        if folder.is_dir():
            candidates += sorted(folder.rglob("*"))
    for candidate in candidates:
        inside = _inside(candidate, base)
        if inside is not None:
            found[inside] = candidate
    return [(path.as_posix(), found[path]) for path in sorted(found, key=lambda p: p.parts)]


def behaviour_files(root: Path, trace_dir: str = "") -> Iterator[tuple[PurePosixPath, Path]]:
    """Yield every file that can matter to a run, with its path relative to the folder, sorted by parts.

    Raises:
        Unreadable: more than ``MOST_FILES`` files or ``MOST_BYTES`` bytes: that is no harness folder.
    """
    base = root.resolve()
    journals = (base / trace_dir).resolve() if trace_dir else None
    total = 0
    kept: list[tuple[PurePosixPath, Path]] = []
    for path in _walk(base, journals):
        relative = PurePosixPath(path.relative_to(base).as_posix())
        name = relative.name
        about = relative.as_posix() in _ABOUT_THE_FOLDER or name.startswith(".env")
        if about or name.endswith(_NOT_BEHAVIOUR):
            continue
        if _inside(path, base) is None:
            continue
        total += path.stat().st_size
        kept.append((relative, path))
        if len(kept) > MOST_FILES or total > MOST_BYTES:
            raise Unreadable(
                f"{root} holds too many files to be a harness ({len(kept)} files, {total} bytes seen).",
                hint="Name the folder that holds harness.yaml and little else.",
            )
    yield from sorted(kept, key=lambda item: item[0].parts)


def _walk(folder: Path, journals: Path | None) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise Unreadable(f"{folder} cannot be read: {error.strerror}.") from error
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            if entry.name not in NEVER_BEHAVIOUR and entry != journals:
                yield from _walk(entry, journals)
        elif entry.is_file():
            yield entry


def _found(spec: HarnessSpec, root: Path) -> set[str]:
    base = root.resolve()
    return {
        name
        for name in named_files(spec)
        if not PurePosixPath(name).is_absolute() and _inside(base / name, base) is not None
    }


def _inside(path: Path, base: Path) -> PurePosixPath | None:
    """Return where a file really is, relative to ``base``; ``None`` for no file, or one outside."""
    try:
        real = path.resolve()
        if not real.is_file() or not real.is_relative_to(base):
            return None
    except (OSError, RuntimeError):
        return None
    return PurePosixPath(real.relative_to(base).as_posix())


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
