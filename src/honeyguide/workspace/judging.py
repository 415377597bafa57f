"""The judge's exam, and past inputs run again on two versions of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
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
from honeyguide.workspace.core import Core
from honeyguide.workspace.grading import CASES, Grading
from honeyguide.workspace.homes import read_file
from honeyguide.workspace.preparing import ROLES, Models, judge_for, models_for
from honeyguide.workspace.run_models import run_models
from honeyguide.workspace.views.options import RunOptions

EXAM = "judge.exam"


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


@dataclass(frozen=True, slots=True)
class Replayed:
    """Past inputs on two texts, side by side.

    Attributes:
        calls: calls that were made now. replayed_calls: answered from the journal, at no cost.
        left, right: what the two texts are called.
    """

    rows: tuple[ReplayRow, ...]
    calls: int
    replayed_calls: int
    target: str = ""
    left: str = ""
    right: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "target": self.target, "left": self.left, "right": self.right,
            "rows": [row.to_json() for row in self.rows], "total": len(self.rows),
            "spend": {"calls": self.calls, "replayed_calls": self.replayed_calls},
        }  # fmt: skip


class Judging:
    """Examines judges and replays the past."""

    def __init__(self, core: Core, grading: Grading) -> None:
        self._core = core
        self._grading = grading

    async def exam(self, cases: Path | None, *, is_confirmed: bool) -> JudgeExam:
        """Let the judge grade the cases that a person graded, and keep the result.

        Args:
            cases: a file of graded cases, which are kept beside those graded before; without one, all that are kept.

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
            await self._grading.keep(read.cases)
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
    ) -> Replayed:
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
            paid = run.spend.calls
            rows = await replay(
                subjects,
                TextUnderTest(left),
                TextUnderTest(right),
                judge,
                cancellation=Cancellation(),
                progress=progress,
            )
            return Replayed(rows, run.spend.calls - paid, run.spend.replayed_calls)

    def _require_agreement(self, ref: ModelRef, is_confirmed: bool) -> None:
        if self._core.registry.costs_money(ref) and not is_confirmed:
            raise PolicyRefused(f"Calls to {ref} cost money and nobody confirmed it.", hint="Add --yes.")

    def _models(
        self, name: str, max_calls: int | None = None, max_usd: float | None = None
    ) -> AbstractAsyncContextManager[RunModels]:
        """Open the models on a journal of their own; ceilings hold for what is called now, whatever it holds."""
        return run_models(self._core, name, Cancellation(), max_calls=max_calls, max_usd=max_usd, on_top=True)

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
