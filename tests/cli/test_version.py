"""The version is said at once: nothing else is imported for it."""

from __future__ import annotations

import subprocess
import sys

from honeyguide import __version__

_ASK = """
import sys
sys.argv = ["honeyguide", "--version"]
from honeyguide.__main__ import main
code = main()
assert not {"typer", "sqlalchemy", "PySide6", "honeyguide.workspace"} & set(sys.modules)
raise SystemExit(code)
"""


def test_version_imports_no_command_and_no_window() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"honeyguide {__version__}\n", "")
