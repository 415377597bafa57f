"""Run a suite against one text: case by case, trial by trial, in a folder of its own, sealed against changes."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from honeyguide.evals.checks import CheckStatus
from honeyguide.feedback.items import FailureClass
from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites.cases import EvalCase
from honeyguide.suites.context_checks import TrialContext, checked_path, hash_of, registry_for
from honeyguide.suites.failure_classes import failure_class
from honeyguide.suites.trials import CaseResult, SuiteOutcome, TrialResult, TrialStatus

KEPT_OUTPUT: Final = 4000
"""Characters of an output that are kept with a trial."""
_S = TrialStatus


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of the target.

    Attributes:
        exit_code: ``None`` when the time limit ended it.
        failure: why it failed, where the target itself says so; else read from what it printed.
    """

    stdout: str
    stderr: str = ""
    exit_code: int | None = 0
    timed_out: bool = False
    failure: FailureClass | None = None

    @property
    def why(self) -> FailureClass | None:
        """Why it failed, as far as can be told."""
        if self.timed_out:
            return None
        return self.failure or failure_class(self.exit_code, self.stdout, self.stderr)


class Subject(Protocol):
    """The text under test, ready to run."""

    async def run(self, case: EvalCase, folder: Path) -> Attempt:
        """Run it once for ``case`` in ``folder``."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the assertions of a case say of one attempt."""

    status: TrialStatus
    reason: str = ""


class Assertions(Protocol):
    """What must hold of an attempt; declarative checks, or code out of process."""

    async def prepare(self, case: EvalCase, folder: Path) -> Verdict | None:
        """Set up the folder; a verdict means that it could not be done."""
        ...

    async def judge(self, case: EvalCase, attempt: Attempt, folder: Path) -> Verdict:
        """Say what holds."""
        ...


Rubric = Callable[[EvalCase, str], Awaitable[float | None]]
"""Asks a judge about an output; ``None`` when it could not be graded."""


class DeclarativeAssertions:
    """The checks and the rubric of a declarative suite."""

    def __init__(self, rubric: Rubric | None = None) -> None:
        self._rubric = rubric
        self._before: dict[str, str | None] = {}

    async def prepare(self, case: EvalCase, folder: Path) -> Verdict | None:
        """Write the fixtures, and remember how the files are that a check asks about."""
        return await asyncio.to_thread(self._prepare, case, folder)

    async def judge(self, case: EvalCase, attempt: Attempt, folder: Path) -> Verdict:
        """Run the checks; only when all passed the judge is asked."""
        context = TrialContext(folder, attempt.exit_code, self._before)
        registry = registry_for(context)
        report = await asyncio.to_thread(registry.run_all, case.checks, attempt.stdout)
        if any(result.status is CheckStatus.FAILED for result in report.results):
            return Verdict(_S.FAIL, report.complaints)
        if not report.passed:
            return Verdict(_S.INCONCLUSIVE, report.complaints)
        if case.rubric is None:
            return Verdict(_S.PASS)
        score = await self._rubric(case, attempt.stdout) if self._rubric else None
        if score is None:
            return Verdict(_S.INCONCLUSIVE, "No judge could grade the answer.")
        if score >= case.rubric_pass:
            return Verdict(_S.PASS)
        return Verdict(_S.FAIL, f"The judge gave {score:.2f}; {case.rubric_pass:.2f} are asked for.")

    def _prepare(self, case: EvalCase, folder: Path) -> Verdict | None:
        for path, text in case.files.items():
            target = folder / checked_path(path)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.parent.resolve().is_relative_to(folder.resolve()) or target.is_symlink():
                    return Verdict(_S.FAIL, f"setup failed: {path} leads out of the folder")
                target.write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                return Verdict(_S.INCONCLUSIVE, f"setup inconclusive: {path}: {error.strerror}")
        asked = [check.value for check in case.checks if check.kind == "file-changed"]
        self._before = {path: hash_of(folder, path) for path in asked}
        return None


@dataclass(frozen=True, slots=True)
class SuiteProgress:
    """A trial that ended."""

    case: str
    trial: int
    done: int
    planned: int
    status: TrialStatus


async def run_suite(
    cases: Sequence[EvalCase],
    subject: Subject,
    *,
    assertions: Assertions | None = None,
    base: Path,
    scratch: Path | None = None,
    seal: Callable[[], str] = lambda: "",
    redact: Callable[[str], str] = lambda text: text,
    report: Callable[[SuiteProgress], None] = lambda progress: None,
) -> SuiteOutcome:
    """Run every case, one after the other, and return what they came to.

    Args:
        base: the folder that a case's ``cwd`` is relative to.
        scratch: where fresh folders are made; the system's place when not given.
        seal: the fingerprint of everything that the proof rests on; looked at before each execution and after each
            check. When it changes, the suite ends and is never clean.
        redact: applied to every output and reason before it is kept.
    """
    assertions = assertions or DeclarativeAssertions()
    sealed = await asyncio.to_thread(seal)
    results: list[CaseResult] = []
    planned = sum(case.plan.repetitions for case in cases)
    done = 0
    for case in cases:
        trials: list[TrialResult] = []
        broken = False
        for number in range(1, case.plan.repetitions + 1):
            if broken := await asyncio.to_thread(seal) != sealed:
                break
            trial = await _trial(case, subject, assertions, base, scratch, redact)
            trials.append(trial)
            done += 1
            report(SuiteProgress(case.name, number, done, planned, trial.status))
            if broken := await asyncio.to_thread(seal) != sealed:
                break
        if len(trials) == case.plan.repetitions:
            results.append(CaseResult(case.plan, tuple(trials)))
        if broken:
            return SuiteOutcome(tuple(results), len(cases), inputs_changed=True)
    return SuiteOutcome(tuple(results), len(cases))


async def _trial(
    case: EvalCase,
    subject: Subject,
    assertions: Assertions,
    base: Path,
    scratch: Path | None,
    redact: Callable[[str], str],
) -> TrialResult:
    if case.cwd is not None:
        folder = await asyncio.to_thread(_own_folder, case, base)
        return await _in_folder(case, subject, assertions, folder, redact)
    folder = Path(await asyncio.to_thread(lambda: tempfile.mkdtemp(prefix="honeyguide-trial-", dir=scratch)))
    try:
        return await _in_folder(case, subject, assertions, folder, redact)
    finally:
        await asyncio.to_thread(lambda: shutil.rmtree(folder, ignore_errors=True))


def _own_folder(case: EvalCase, base: Path) -> Path:
    folder = (base / checked_path(case.cwd)).resolve()
    if not folder.is_relative_to(base.resolve()) or not folder.is_dir():
        raise InvalidInput(f"The folder {case.cwd} of the case {case.name!r} is not there.")
    return folder


async def _in_folder(
    case: EvalCase, subject: Subject, assertions: Assertions, folder: Path, redact: Callable[[str], str]
) -> TrialResult:
    prepared = await assertions.prepare(case, folder)
    if prepared is not None:
        return TrialResult(prepared.status, redact(prepared.reason), invoked=False)
    attempt = await subject.run(case, folder)
    verdict = judged_by_exit(attempt, allow_non_zero=case.allow_non_zero, timeout_ms=case.timeout_ms)
    if verdict is None:
        verdict = await assertions.judge(case, attempt, folder)
    return TrialResult(
        verdict.status,
        redact(verdict.reason),
        attempt.exit_code,
        attempt.timed_out,
        attempt.why,
        output=redact(attempt.stdout[:KEPT_OUTPUT]),
    )


def judged_by_exit(attempt: Attempt, *, allow_non_zero: bool, timeout_ms: int) -> Verdict | None:
    """Return what the way an execution ended says by itself; ``None`` when its output decides."""
    if attempt.timed_out:
        return Verdict(_S.INCONCLUSIVE, f"timed out after {timeout_ms}ms")
    if attempt.exit_code == 0 or allow_non_zero:
        return None
    why = attempt.why
    if why not in (None, FailureClass.UNKNOWN, FailureClass.BEHAVIOR):
        return Verdict(_S.INCONCLUSIVE, f"{why} failure (exit {attempt.exit_code})")
    return Verdict(_S.FAIL, f"flow exited {attempt.exit_code}")
