"""Make the workspace that every later version must be able to open: the sample, one accepted change, one step back.

usage: python -m tests.packaging.make_fixture

It is made once, by the first released revision, and kept as ``fixtures/workspace-0001.tar.xz``. Made anew by a later
version it would prove nothing, so this refuses when the newest revision is another one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

REVISION = "0001"
FIXTURE = Path(__file__).parent / "fixtures" / f"workspace-{REVISION}.tar.xz"
KEPT_TRACES = 120
"""More would make the repository heavy and the test no better."""


def say(*arguments: object) -> Any:
    """Run one command of the program and return its JSON."""
    from honeyguide.cli.app import run

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run([*map(str, arguments), "--json"])
    if code != 0:
        raise SystemExit(f"honeyguide {' '.join(map(str, arguments))}: exit {code}\n{out.getvalue()[-2000:]}")
    return json.loads(out.getvalue())


def make(folder: Path) -> None:
    """Make the workspace in ``folder`` and write down what it holds."""
    workspace = folder / "workspace"
    say("init", workspace, "--sample")
    here = ("--workspace", workspace)
    result = say(*here, "evolve", "support", "--preset", "efficient")
    if result["run"] is None or result["run"]["status"] != "proposed":
        raise SystemExit(f"no proposal: {result['outcome']}: {result['reason']}")
    uuid = result["run"]["run_uuid"]
    say(*here, "runs", "accept", uuid, "--note", "kept for later versions")
    say(*here, "versions", "rollback", "support")
    traces = say(*here, "traces", "list", "--limit", 10_000)["traces"]
    doomed = [trace["id"] for trace in traces[KEPT_TRACES:]]
    for start in range(0, len(doomed), 400):
        say(*here, "traces", "delete", *doomed[start : start + 400])
    expected = held(workspace, uuid)
    with contextlib.closing(sqlite3.connect(workspace / "honeyguide.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("VACUUM")
        revision = database.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    if revision != REVISION:
        raise SystemExit(f"the newest revision is {revision}, not {REVISION}: the fixture stays as it is")
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def held(workspace: Path, uuid: str) -> dict[str, Any]:
    """Return what a workspace holds, as the command line tells it."""
    here = ("--workspace", workspace)
    return {
        "run": uuid,
        "status": say(*here, "runs", "show", uuid)["status"],
        "traces": say(*here, "traces", "list")["total"],
        "targets": say(*here, "targets", "list")["total"],
        "versions": [row["sha256"] for row in say(*here, "versions", "list", "support")["versions"]],
    }


def main() -> int:
    """Make the fixture anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            os.environ[variable] = str(folder / "home")
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        make(folder)
        FIXTURE.parent.mkdir(exist_ok=True)
        with tarfile.open(FIXTURE, "w:xz", preset=9) as archive:
            for part in ("expected.json", "workspace"):
                archive.add(folder / part, part, filter=_of_nobody)
    print(f"{FIXTURE.stat().st_size} bytes in {FIXTURE}")
    return 0


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if member.name.endswith((".db-wal", ".db-shm")) else member


if __name__ == "__main__":
    sys.exit(main())
