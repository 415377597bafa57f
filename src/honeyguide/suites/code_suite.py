"""A suite in code, run out of process: a person has trusted it as it is, and ``bun`` or ``node`` is there.

A child loads the suite and answers requests, a line of JSON each: what cases there are, set one up, check one. It runs
with the person's rights. What it loads must be what was planned; else nothing is run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from honeyguide.kernel.errors import InvalidInput, Unsupported
from honeyguide.kernel.processes import Finished, end, run, start
from honeyguide.kernel.resources import resource
from honeyguide.suites.cases import DEFAULT_TIMEOUT_MS, EvalCase, PlannedCase, SuitePlan
from honeyguide.suites.runner import Attempt, Verdict
from honeyguide.suites.trials import TrialStatus

CHECK_SECONDS: Final = 60.0
_LEAST_NODE: Final = (22, 18)
"""From this version on, node runs TypeScript without being asked."""
_S = TrialStatus


def runtime_for(environ: Mapping[str, str]) -> list[str]:
    """Return how TypeScript is run here. Raises Unsupported when it cannot."""
    path = environ.get("PATH")
    if bun := shutil.which("bun", path=path):
        return [bun, "run"]
    node = shutil.which("node", path=path)
    if node is not None:
        finished: Finished = run([node, "--version"], timeout=10)
        found = re.match(rb"v(\d+)\.(\d+)", finished.stdout)
        if found and (int(found[1]), int(found[2])) >= _LEAST_NODE:
            return [node, "--no-warnings"]
    raise Unsupported(
        "A suite in TypeScript needs bun, or node 22.18 or later.",
        hint="Install one of them, or describe the cases in a .eval.yaml file.",
    )


class CodeSuite:
    """A loaded suite; assertions for ``run_suite``. Close it."""

    def __init__(self, process: subprocess.Popen[bytes], cases: tuple[EvalCase, ...]) -> None:
        self._process = process
        self.cases = cases
        self._lock = threading.Lock()

    @classmethod
    async def open(cls, path: Path, plan: SuitePlan, environ: Mapping[str, str]) -> CodeSuite:
        """Load a suite and compare it with its plan.

        Raises:
            Unsupported: TypeScript cannot be run here.
            InvalidInput: it cannot be loaded, or is another suite than was planned.
        """
        return await asyncio.to_thread(cls._open, path, plan, environ)

    @classmethod
    def _open(cls, path: Path, plan: SuitePlan, environ: Mapping[str, str]) -> CodeSuite:
        driver = resource("suites", "driver.mjs")
        process = start(
            [*runtime_for(environ), str(driver), str(path)], cwd=path.parent, env=environ,
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        suite = cls(process, ())
        try:
            loaded = suite._ask({"do": "load", "repetitions": 1})
            suite.cases = _cases(loaded, plan, path.name)
        except BaseException:
            suite._shut()
            raise
        return suite

    async def prepare(self, case: EvalCase, folder: Path) -> Verdict | None:
        """Run the case's ``setup``."""
        answer = await asyncio.to_thread(self._ask, {"do": "setup", "name": case.name, "dir": str(folder)})
        if answer.get("ok") is True:
            return None
        reason = str(answer.get("reason", ""))
        if answer.get("inconclusive") is True:
            return Verdict(_S.INCONCLUSIVE, f"setup inconclusive: {reason}")
        return Verdict(_S.FAIL, f"setup failed: {reason}")

    async def judge(self, case: EvalCase, attempt: Attempt, folder: Path) -> Verdict:
        """Run the case's ``check``; nothing but ``null`` passes."""
        why = attempt.why
        context = {
            "stdout": attempt.stdout, "stderr": attempt.stderr, "exitCode": attempt.exit_code, "dir": str(folder),
            **({"timedOut": True} if attempt.timed_out else {}), **({"failureClass": why.value} if why else {}),
        }  # fmt: skip
        answer = await asyncio.to_thread(self._ask, {"do": "check", "name": case.name, "context": context})
        if answer.get("ok") is True:
            return Verdict(_S.PASS)
        reason = str(answer.get("reason") or "the check did not return null")
        return Verdict(_S.INCONCLUSIVE if answer.get("inconclusive") is True else _S.FAIL, reason)

    async def close(self) -> None:
        """End the child and everything it started."""
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer; a child that says nothing in time is ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        with self._lock:
            timer = threading.Timer(CHECK_SECONDS, end, [self._process])
            timer.daemon = True
            timer.start()
            try:
                stdin.write(json.dumps(request).encode() + b"\n")
                stdin.flush()
                line = stdout.readline()
            except OSError:
                line = b""
            finally:
                timer.cancel()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            return {"ok": False, "inconclusive": True, "reason": "the suite's process ended or took too long"}
        return answer


def _cases(loaded: Mapping[str, Any], plan: SuitePlan, name: str) -> tuple[EvalCase, ...]:
    raw = loaded.get("cases")
    if not isinstance(raw, list):
        raise InvalidInput(
            f"{name} cannot be loaded: {loaded.get('reason', 'its process ended')}.",
            details={"reason_code": "SUITE_IMPORT_FAILED"},
        )
    by_name = {case.name: case for case in plan.cases}
    cases = tuple(_case(one, by_name) for one in raw if isinstance(one, dict))
    if [case.plan for case in cases] != list(plan.cases):
        raise InvalidInput(
            f"{name} is another suite when it is run than when it is read.",
            hint="Write names, links and repetitions out literally.",
            details={"reason_code": "SUITE_PLAN_CHANGED"},
        )
    return cases


def _case(raw: Mapping[str, Any], planned: Mapping[str, PlannedCase]) -> EvalCase:
    name = str(raw.get("name", ""))
    known = planned.get(name)
    repetitions = raw.get("repetitions") or (known.repetitions if known else 1)
    own = PlannedCase(
        name, tuple(raw.get("evidence") or ()), repetitions, raw.get("quorum") or repetitions, raw.get("draft") is True
    )  # fmt: skip
    return EvalCase(
        plan=own,
        prompt=raw.get("prompt"),
        stdin=raw.get("stdin"),
        cwd=raw.get("cwd"),
        timeout_ms=int(raw.get("timeoutMs") or DEFAULT_TIMEOUT_MS),
        allow_non_zero=raw.get("allowNonZero") is True,
    )
