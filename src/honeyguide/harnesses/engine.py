"""Runs a harness with an installed hiveloom instead of our own runner, for what ours does not support."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import Any

from honeyguide.harnesses.folder import Harness
from honeyguide.kernel import processes
from honeyguide.kernel.errors import InternalError, NotFound


def hiveloom_program(environ: Mapping[str, str]) -> str:
    """Return the installed program. Raises NotFound."""
    found = environ.get("HONEYGUIDE_HIVELOOM") or shutil.which("hiveloom", path=environ.get("PATH"))
    if not found:
        raise NotFound("hiveloom is not installed.", hint="Install it with: pip install hiveloom")
    return found


def run_with_hiveloom(
    harness: Harness, input: str, environ: Mapping[str, str], model: str | None, seconds: float = 3600.0
) -> tuple[int, dict[str, Any]]:
    """Run a harness that the caller has checked for trust; return hiveloom's exit code and its JSON (blocking)."""
    program = hiveloom_program(environ)
    source = harness.root / ".hiveloom" / "honeyguide" / "engine-input.txt"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(input, encoding="utf-8")
    argv = [program, "run", str(harness.root), "--input", str(source), "--approve", "--json"]
    if model:
        argv += ["--model", model]
    try:
        finished = processes.run(argv, cwd=harness.root, env=environ, timeout=seconds)
    finally:
        source.unlink(missing_ok=True)
    try:
        data = json.loads(finished.stdout)
    except ValueError as error:
        said = finished.stderr.decode("utf-8", "backslashreplace").strip()[-300:]
        raise InternalError(f"hiveloom gave no readable answer: {said or 'nothing'}") from error
    return finished.exit_code if finished.exit_code is not None else 4, data if isinstance(data, dict) else {}
