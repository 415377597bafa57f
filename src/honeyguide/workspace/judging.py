"""The judge's exam, and past inputs run again on two versions of a text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.evals.exam import ExamReport, take_exam
from honeyguide.evals.exam_cases import read_exam
from honeyguide.evals.judge import Judge
from honeyguide.evals.measuring import TextUnderTest
from honeyguide.evals.replay import ReplayRow, ReplaySubject, replay
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused
from honeyguide.llm import Cancellation, ModelRef, ModelRole, RunModels
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import read_file
from honeyguide.workspace.preparing import ROLES, Models, judge_for, models_for
from honeyguide.workspace.views.options import RunOptions

EXAM = "judge.exam"
CASES = "judge-exam.jsonl"


@dataclass(frozen=True, slots=True)
class JudgeExam:
    """A judge's last exam.

    Attributes:
        model: which judge it was.
        report: the figures; ``failures`` says in sentences what was below the bar.
        skipped: line number to reason, for cases that could not be read.
    """

    model: str
    taken_at: str
    passed: bool
    report: dict[str, Any]
    skipped: dict[int, str]

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        skipped = [{"line": line, "reason": reason} for line, reason in self.skipped.items()]
        return {
            "model": self.model, "taken_at": self.taken_at, "passed": self.passed, **self.report, "skipped": skipped,
        }  # fmt: skip


class Judging:
    """Examines judges and replays the past."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def exam(self, cases: Path | None, *, is_confirmed: bool) -> JudgeExam:
        """Let the judge grade the cases that a person graded, and keep the result.

        Args:
            cases: a file of graded cases, which is kept in the workspace; without one, the file kept last.

        Raises:
            NotFound, InvalidInput: no cases.
            PolicyRefused: the judge costs money and nobody agreed to that.
        """
        kept = self._core.layout.root / CASES
        if cases is None and not kept.is_file():
            raise NotFound("There are no graded cases yet.", hint="Give a file with --import.")
        data = await self._core.in_thread(lambda: read_file(cases or kept))
        read = read_exam(_text(data, cases or kept))
        if not read.cases:
            raise InvalidInput(
                f"{cases or kept} holds no graded case.", hint="See docs/judge.md for the form of a line."
            )
        ref = self._core.model_for(ModelRole.JUDGE)
        self._require_agreement(ref, is_confirmed)
        if cases is not None:
            await self._core.in_thread(lambda: write_atomically(kept, data))
        async with self._models("judge-exam") as models:
            report = await take_exam(read.cases, Judge(models.client(ref), ref))
        return await self._keep(ref, report, dict(read.skipped))

    async def last_exam(self) -> JudgeExam | None:
        """Return the last exam of any judge; ``None`` when there was none."""
        stored = await self._core.store.read(lambda unit: unit.settings.get(EXAM))
        if not isinstance(stored, dict):
            return None
        return JudgeExam(stored["model"], stored["taken_at"], stored["passed"], stored["report"], {})

    async def require_passed(self, judge: ModelRef) -> None:
        """Raise PolicyRefused when this judge's last exam was below the bar; a judge without an exam may verify."""
        exam = await self.last_exam()
        if exam is not None and exam.model == str(judge) and not exam.passed:
            raise PolicyRefused(
                f"The judge {judge} did not pass its exam, so it may not verify.",
                hint="Choose another judge, or take the exam again: honeyguide judge exam.",
                details={"failures": exam.report.get("failures", [])},
            )

    async def replay(
        self,
        trace_ids: Sequence[int],
        left: str,
        right: str,
        options: RunOptions,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[ReplayRow, ...]:
        """Run past inputs on two texts, side by side; calls that its journal holds are not made again.

        Raises:
            NotFound: a trace.
            PolicyRefused: a trace that no model may see, or paid calls that nobody agreed to.
        """
        models = models_for(self._core, options)
        for ref in models.by_role.values():
            self._require_agreement(ref, options.is_confirmed)
        traces = await self._core.store.read(lambda unit: [unit.traces.require(number) for number in trace_ids])
        subjects = [ReplaySubject.from_trace(trace) for trace in traces]
        async with self._models("replay", options.max_calls, options.max_usd) as run:
            judge = judge_for({role: run.client(models[role]) for role in ROLES}, Models(models.by_role))
            return await replay(
                subjects,
                TextUnderTest(left),
                TextUnderTest(right),
                judge,
                cancellation=Cancellation(),
                progress=progress,
            )

    def _require_agreement(self, ref: ModelRef, is_confirmed: bool) -> None:
        if self._core.registry.costs_money(ref) and not is_confirmed:
            raise PolicyRefused(f"Calls to {ref} cost money and nobody confirmed it.", hint="Add --yes.")

    @asynccontextmanager
    async def _models(
        self, name: str, max_calls: int | None = None, max_usd: float | None = None
    ) -> AsyncIterator[RunModels]:
        path = self._core.layout.run(name) / "journal.jsonl"
        await self._core.in_thread(lambda: path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
        redact = self._core.outgoing_redactor().text
        models = await self._core.in_thread(
            lambda: RunModels.open(
                self._core.registry,
                path,
                max_calls=max_calls,
                max_usd=max_usd,
                max_tokens=self._core.settings.get("limits.tokens_per_run"),
                shared=self._core.ledgers(),
                redact=redact,
            )
        )
        try:
            yield models
        finally:
            await models.close()

    async def _keep(self, ref: ModelRef, report: ExamReport, skipped: dict[int, str]) -> JudgeExam:
        exam = JudgeExam(str(ref), iso(self._core.clock.now()), report.passed, report.to_json(), skipped)
        stored = {"model": exam.model, "taken_at": exam.taken_at, "passed": exam.passed, "report": exam.report}
        await self._core.store.write(lambda unit: unit.settings.put(EXAM, stored))
        return exam


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.") from error
