"""What a person needs for a report: versions, the system, where things are kept. No key, no text of a target."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QCoreApplication

from honeyguide import __version__
from honeyguide.desktop.memory import state_folder


def diagnostics(workspace: Path) -> dict[str, str]:
    """Return names and values, in the order in which they are shown."""
    tr = QCoreApplication.translate
    return {
        tr("AboutDialog", "Version of Honeyguide"): __version__,
        tr("AboutDialog", "Workspace"): str(workspace),
        tr("AboutDialog", "Window state and log"): str(state_folder()),
        "Python": sys.version.split()[0],
        "Qt": pyside_version,
        tr("AboutDialog", "System"): platform.platform(),
    }


def diagnostics_text(workspace: Path) -> str:
    """Return the same, to copy."""
    return "\n".join(f"{name}: {value}" for name, value in diagnostics(workspace).items()) + "\n"
