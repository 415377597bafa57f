"""Harness folders with journals, written event by event, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.journal import JournalWriter
from honeyguide.kernel.clock import ManualClock

SPEC = """\
# A small desk clerk.
schema_version: 0.2.0
name: desk-clerk
id: hl-00000000c0de
description: Answers questions at a desk   # one line
system_prompt: |
  You answer questions at a desk.
  Say which drawer holds the answer.
tools:
- code: tools/drawers.py:open_drawer
  description: Open a drawer.
- builtin: file_read
guardrails:
- builtin: max_cost_usd
  value: 0.5
verify:
  validators:
  - builtin: regex_match
    pattern: '^drawer: '
  - code: validators/tone.py:check
"""
FILES = {
    "tools/drawers.py": 'def open_drawer(number: int) -> str:\n    return f"drawer {number}: pens"\n',
    "validators/tone.py": (
        "def check(run_output, run_context):\n"
        '    ok = "!" not in run_output\n'
        '    return {"passed": ok, "feedback": "" if ok else "no exclamation marks, please"}\n'
    ),
}


def write_folder(root: Path, spec: str = SPEC, files: Mapping[str, str] = FILES) -> Path:
    """Write a harness folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "harness.yaml").write_text(spec, encoding="utf-8")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


class Scribe:
    """Writes journals into a folder, each run a second after the one before."""

    def __init__(self, root: Path, start: datetime = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)) -> None:
        self.harness = Harness.open(root)
        self.clock = ManualClock(start)
        self.count = 0

    def run(
        self,
        status: str = "success",
        *,
        run_id: str | None = None,
        task: str = "Where are the pens?",
        output: str | None = "drawer: 3",
        feedback: Sequence[str] = (),
        events: Sequence[tuple[str, Mapping[str, Any]]] = (),
        cost: float = 0.001,
        turns: int = 1,
        version: str | None = None,
        reason: str = "",
        finish: bool = True,
        model: str = "claude-haiku-4-5",
        steps: Sequence[Mapping[str, Any]] = (),
    ) -> str:
        """Write the journal of one run and return its id."""
        self.count += 1
        run_id = run_id or f"run_{self.count:04d}"
        spec = self.harness.spec
        identity = (spec.name, spec.id, version or self.harness.version)
        with JournalWriter(
            self.harness.trace_dir, run_id, identity, self.clock, Redactor(spec.logging.redact)
        ) as journal:

            def write(kind: str, payload: Mapping[str, Any]) -> None:
                journal.write(kind, payload)
                self.clock.advance(0.01)

            write("run_started", {"input": task, "policy": "react", "model": model, "provider": "claude"})
            for turn in range(turns):
                write("model_call", {"turn": turn, "phase": "act"})
                write(
                    "model_response", {"turn": turn + 1, "phase": "act", "text": output or "", "effective_model": model}
                )
            for kind, payload in events:
                write(kind, payload)
            for text in feedback:
                write("verification_result", {"verifier": "regex_match", "passed": False, "feedback": text})
            if status == "success":
                write("verification_result", {"verifier": "regex_match", "passed": True, "feedback": ""})
            if finish:
                execution = {
                    "requested_provider": "claude", "requested_model": model, "effective_provider": "claude",
                    "effective_model": model, "execution_fingerprint": f"{self.count:064x}",
                }  # fmt: skip
                write(
                    "run_finished",
                    {
                        "status": status, "reason": reason, "turns": turns, "cost_usd": cost, "duration_seconds": 0.5,
                        "output": output, "model_path": f"claude:{model}", "execution": execution, "steps": list(steps),
                    },
                )  # fmt: skip
        self.clock.advance(1)
        return run_id
