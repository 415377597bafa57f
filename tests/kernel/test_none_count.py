"""WORKAROUND(PySide6 6.12.0): it over-releases ``None`` and aborts CPython 3.11 after some thousand calls.

The version is pinned below it; this makes 200,000 void calls, so that an upgrade on purpose is a safe one.
"""

from __future__ import annotations

import subprocess
import sys

CODE = """
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel()
for number in range(200_000):
    label.setText("a")
print("alive")
"""


def test_two_hundred_thousand_void_calls_leave_the_interpreter_alive():
    finished = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=90, check=False)
    assert finished.stdout.strip() == "alive", finished.stderr[-500:]
