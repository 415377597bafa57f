"""A copy of a repository to test in: what git knows and what is new, without what is ignored, secret, or leads out."""

from __future__ import annotations

import fnmatch
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.kernel.errors import HoneyguideError, NotFound, PolicyRefused
from honeyguide.kernel.processes import run

MAX_BYTES: Final = 256 * 1024 * 1024
MAX_FILES: Final = 20_000
GIT_SECONDS: Final = 60
_SKIPPED_FOLDERS: Final = frozenset((".git", ".mdflow", ".artifacts", "node_modules", ".venv", "__pycache__"))
_SECRET_NAMES: Final = (
    ".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx", "id_rsa*", "id_ed25519*", "id_ecdsa*", ".netrc",
    ".npmrc", ".pypirc", ".git-credentials", "credentials", "credentials.json", "*.keystore", ".htpasswd",
)  # fmt: skip
_HARMLESS: Final = (".env.example", ".env.sample", ".env.template", "*.pub")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy.

    Attributes:
        root: where it stands.
        skipped: what is not in it, each with the reason.
    """

    root: Path
    files: int
    bytes: int
    skipped: tuple[str, ...]


def take_snapshot(source: Path, target: Path, *, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> Snapshot:
    """Copy the files of ``source`` into the new folder ``target`` (0700).

    A link to a file inside becomes a file, one to a folder inside stays a link.

    Raises:
        PolicyRefused: a link leads out of ``source``, or there is too much to copy; nothing is left behind.
    """
    source = source.resolve()
    target.mkdir(parents=True, mode=0o700)
    try:
        return _copied(source, target, max_bytes, max_files)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def is_secret_file(name: str) -> bool:
    """Say whether a file's name alone says that it holds secrets."""
    lowered = name.lower()
    if any(fnmatch.fnmatch(lowered, pattern) for pattern in _HARMLESS):
        return False
    return any(fnmatch.fnmatch(lowered, pattern) for pattern in _SECRET_NAMES)


def _copied(source: Path, target: Path, max_bytes: int, max_files: int) -> Snapshot:
    files = total = 0
    skipped: list[str] = []
    for relative in listed_files(source):
        path = source / relative
        if is_secret_file(path.name):
            skipped.append(f"{relative}: may hold secrets")
            continue
        try:
            about = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted, but git still knows it
        copy = target / relative
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if stat.S_ISLNK(about.st_mode):
            if not _copy_link(source, path, copy):
                skipped.append(f"{relative}: leads nowhere")
                continue
            about = path.stat()
        elif stat.S_ISDIR(about.st_mode):
            copy.mkdir(exist_ok=True, mode=0o700)
            skipped.append(f"{relative}: a repository of its own")
            continue
        elif not stat.S_ISREG(about.st_mode):
            skipped.append(f"{relative}: no regular file")
            continue
        else:
            shutil.copyfile(path, copy, follow_symlinks=False)
            copy.chmod(0o700 if about.st_mode & 0o100 else 0o600)
        files += 1
        total += about.st_size
        if files > max_files or total > max_bytes:
            raise PolicyRefused(
                f"{source} is too large to copy for a test (over {max_files} files or {max_bytes // 1024**2} MiB).",
                hint="Ignore what the flow does not need, in .gitignore.",
            )
    return Snapshot(target, files, total, tuple(skipped))


def _copy_link(source: Path, path: Path, copy: Path) -> bool:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(source):
        raise PolicyRefused(
            f"The link {path.relative_to(source)} leads out of the repository.",
            hint="Remove it, or replace it by what it leads to.",
        )
    if real.is_dir():
        copy.symlink_to(os.path.relpath(real, path.parent.resolve()), target_is_directory=True)
    elif real.is_file():
        if is_secret_file(real.name):
            return False
        shutil.copyfile(real, copy)
        copy.chmod(0o700 if real.stat().st_mode & 0o100 else 0o600)
    else:
        return False
    return True


def listed_files(source: Path) -> Iterator[str]:
    """Yield the files of a folder as git sees them, relative to it; without git, all but the usual clutter."""
    yield from _by_git(source) or _by_walking(source)


def _by_git(source: Path) -> list[str]:
    """Return what git lists; nothing when there is no git or no repository."""
    if not any((folder / ".git").exists() for folder in (source, *source.parents)):
        return []
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(source), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        finished = run(command, timeout=GIT_SECONDS)
    except (NotFound, HoneyguideError):
        return []
    if finished.exit_code != 0:
        return []
    return sorted({os.fsdecode(name) for name in finished.stdout.split(b"\0") if name})


def _by_walking(source: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(source):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and name not in links)
        for name in sorted([*names, *links]):
            yield (Path(folder) / name).relative_to(source).as_posix()
