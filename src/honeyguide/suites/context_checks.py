"""Checks of what a trial left behind: files in its folder, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from honeyguide.evals.checks import CheckFinding, CheckRegistry
from honeyguide.evals.standard_checks import STANDARD_CHECKS
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput

CONTEXT_KINDS: Final = ("file-exists", "file-changed", "exit-code")


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What the checks of a trial may look at beside its output.

    Attributes:
        folder: where it ran.
        before: path to SHA-256 of the files that the checks ask about, taken before it ran.
    """

    folder: Path
    exit_code: int | None = 0
    before: Mapping[str, str | None] = field(default_factory=dict)


def registry_for(context: TrialContext) -> CheckRegistry:
    """Return all kinds of checks, those of files and exit code bound to one trial."""
    return (
        STANDARD_CHECKS.with_kind("file-exists", lambda value, output: _exists(value, context))
        .with_kind("file-changed", lambda value, output: _changed(value, context))
        .with_kind("exit-code", lambda value, output: _exit_code(value, context))
    )


def hash_of(folder: Path, path: str) -> str | None:
    """Return the SHA-256 of a file in ``folder``; ``None`` when it is none, or leads elsewhere by a link."""
    target = folder / checked_path(path)
    if not target.is_file() or not target.resolve().is_relative_to(folder.resolve()):
        return None
    return sha256_hex(target.read_bytes())


def checked_path(value: Any) -> str:
    """Return a path that stays in its folder. Raises InvalidInput."""
    path = value if isinstance(value, str) else ""
    parts = path.replace("\\", "/").split("/")
    if not path or path.startswith(("/", "\\", "~")) or ".." in parts or "\0" in path or ":" in path:
        raise InvalidInput(f"{value!r} is no path inside the folder of a trial.", hint="Use a relative path.")
    return path


def _exists(value: Any, context: TrialContext) -> CheckFinding:
    path = checked_path(value)
    found = hash_of(context.folder, path) is not None
    return CheckFinding.of(found, f"The file {path} is {'there' if found else 'not there'}.")


def _changed(value: Any, context: TrialContext) -> CheckFinding:
    path = checked_path(value)
    changed = hash_of(context.folder, path) != context.before.get(path)
    return CheckFinding.of(changed, f"The file {path} {'changed' if changed else 'is as it was'}.")


def _exit_code(value: Any, context: TrialContext) -> CheckFinding:
    wanted = value if isinstance(value, list) else [value]
    if not wanted or not all(isinstance(code, int) and not isinstance(code, bool) for code in wanted):
        raise InvalidInput("An exit-code check needs a whole number, or a list of them.")
    return CheckFinding.of(context.exit_code in wanted, f"The exit code is {context.exit_code}.")


SUITE_CHECKS: Final = registry_for(TrialContext(Path("/nonexistent")))
"""All kinds that a suite may use, to check their values with before anything runs."""
