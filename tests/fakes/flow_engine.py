"""An agent program for tests: it says the colours that its prompt names, and answers as a maintainer when asked.

Installed under a real engine's name with ``install``. What it does can be changed by files in its folder:
``reply.txt`` (the maintainer's reply), ``exit`` and ``stderr`` (how it ends on a flow), ``maintainer-exit``, ``sleep``
(seconds on a flow), ``maintainer-sleep``, ``say.txt`` (what it says on a flow, one line a call), ``touch`` (a file to
change while it is the maintainer). Every call is a line of ``calls.ndjson``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PROGRAM = """#!{python} -SE
import json, os, sys, time
folder = {folder!r}
def read(name):
    try:
        with open(os.path.join(folder, name)) as file:
            return file.read()
    except OSError:
        return None
prompt = sys.argv[-1]
is_maintainer = "[[REPORTED PROBLEMS" in prompt
with open(os.path.join(folder, "calls.ndjson"), "a") as file:
    file.write(json.dumps({{"argv": sys.argv[1:], "maintainer": is_maintainer, "pid": os.getpid(),
                            "active": os.environ.get("MDFLOW_ACTIVE_FLOW"), "cwd": os.getcwd()}}) + "\\n")
kind = "maintainer-" if is_maintainer else ""
wait = read(kind + "sleep")
if wait:
    time.sleep(float(wait))
code = read(kind + "exit")
if is_maintainer:
    touched = read("touch")
    if touched:
        with open(touched, "a") as file:
            file.write("\\n# changed\\n")
if code:
    sys.stderr.write(read("stderr") or "it broke\\n")
    sys.exit(int(code))
if is_maintainer:
    print(read("reply.txt") or "no reply")
else:
    lines = (read("say.txt") or "").splitlines()
    with open(os.path.join(folder, "calls.ndjson")) as file:
        number = sum(not json.loads(line)["maintainer"] for line in file)
    if lines:
        print(lines[min(number, len(lines)) - 1])
    else:
        print(" ".join(word for word in ("RED", "GREEN", "BLUE") if word in prompt) or "nothing")
"""


class FakeEngine:
    """The program, and what it was asked."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name

    def set(self, name: str, text: str) -> None:
        """Change what it does."""
        (self.folder / name).write_text(text)

    def reply(self, body: str) -> None:
        """Let the maintainer propose ``body``."""
        self.set("reply.txt", json.dumps({"body": body}))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What it was asked so far."""
        path = self.folder / "calls.ndjson"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def asked(self) -> str:
        """The last request to the maintainer."""
        return str([call for call in self.calls if call["maintainer"]][-1]["argv"][-1])


def install(folder: Path, name: str = "claude") -> FakeEngine:
    """Put the program on a PATH of its own: ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(PROGRAM.format(python=sys.executable, folder=str(folder)))
    program.chmod(0o755)
    return FakeEngine(folder, name)
