"""A report of a failure that nobody foresaw: on this computer only, for its owner only, without secrets."""

from __future__ import annotations

import os
import platform
import secrets
from pathlib import Path

from honeyguide import __version__
from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.traces.redaction import Redactor
from honeyguide.workspace.places import user_dirs

KEPT_REPORTS = 20
LONGEST_REPORT = 200_000
"""Characters; a traceback of endless recursion is cut in its middle."""


def write_crash_report(text: str, *, clock: Clock | None = None, folder: Path | None = None) -> Path:
    """Write a report of ``text`` (a traceback) and return its path; secrets and personal data are replaced.

    The newest ``KEPT_REPORTS`` are kept. Raises OSError when it cannot be written.
    """
    now = iso((clock or SystemClock()).now())
    folder = folder or crash_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = f"Honeyguide {__version__}\nPython {platform.python_version()} on {platform.platform()}\n{now}\n\n"
    path = folder / f"crash-{now.replace(':', '').replace('-', '')}-{secrets.token_hex(2)}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(about + without_secrets(text).rstrip() + "\n")
    for old in sorted(folder.glob("crash-*.txt"))[:-KEPT_REPORTS]:
        old.unlink(missing_ok=True)
    return path


def without_secrets(text: str) -> str:
    """Return ``text`` with secrets and personal data replaced, for reports, logs and what a person may hand on."""
    return _shortened(Redactor(secrets.token_bytes(32), personal=True).text(text))


def crash_folder() -> Path:
    """Return where reports are kept: the user's state folder, outside of any workspace."""
    return user_dirs().user_state_path / "crashes"


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_REPORT:
        return text
    half = LONGEST_REPORT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
