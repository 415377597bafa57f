"""Models, their keys, the judge's exam, and replays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.evals.exam import ExamCase
    from honeyguide.evals.replay import ReplayRow
    from honeyguide.llm import ModelRef
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.workspace.grading import AnswerToGrade
    from honeyguide.workspace.judging import JudgeExam, Replayed
    from honeyguide.workspace.views.models import KeyPlace, ModelsReport, ModelTest
    from honeyguide.workspace.views.options import RunOptions


class ModelMethods(Parts):
    """A part of the façade."""

    async def models(self) -> ModelsReport:
        """Return roles, providers and where keys are; opens no connection."""
        return await self._models.report()

    async def test_models(self, name: str | None = None) -> list[ModelTest]:
        """Ask a model, or every role's, one short question and explain what failed."""
        return await self._models.test(name)

    async def list_models(self, provider: str) -> list[str]:
        """Ask a provider which models it offers. Raises ModelError, InvalidInput."""
        return await self._models.list_models(provider)

    async def set_key(self, provider: str, key: str, *, where: str = "keyring") -> KeyPlace:
        """Keep a key in the system's key ring, or (``session``) in memory only."""
        return await self._models.set_key(provider, key, where=where)

    async def forget_key(self, provider: str) -> bool:
        """Remove a key from the key ring and this session."""
        return await self._models.forget_key(provider)

    async def use_model(self, role: str, model: str) -> ModelsReport:
        """Choose the model of a role."""
        return await self._models.use(role, model)

    async def add_model_file(self, path: Path) -> ModelRef:
        """Make a model file on this computer known by its name."""
        return await self._models.add_file(path)

    async def judge_exam(self, cases: Path | None = None, *, is_confirmed: bool = False) -> JudgeExam:
        """Let the judge grade cases that a person graded. Raises NotFound, InvalidInput, PolicyRefused."""
        return await self._judging.exam(cases, is_confirmed=is_confirmed)

    async def last_judge_exam(self) -> JudgeExam | None:
        """Return the last exam; ``None`` when there was none."""
        return await self._judging.last_exam()

    async def answers_to_grade(self, limit: int = 40, *, seed: int = 1) -> list[AnswerToGrade]:
        """Return answers of past runs that a person may grade for the judge's exam."""
        return await self._grading.answers(limit, seed=seed)

    async def export_answers_to_grade(self, file: Path, limit: int = 40, *, seed: int = 1) -> int:
        """Write them to a file, to be graded there and given to ``judge_exam``; returns how many there are."""
        return await self._grading.export(file, limit, seed=seed)

    async def keep_grades(self, cases: Sequence[ExamCase]) -> int:
        """Keep graded answers for the exam; returns how many there are now."""
        return await self._grading.keep(cases)

    async def graded_answers(self) -> tuple[ExamCase, ...]:
        """Return what is graded already."""
        return await self._grading.graded()

    async def replay(
        self, trace_ids: Sequence[int], left: str, right: str, options: RunOptions | None = None
    ) -> tuple[ReplayRow, ...]:
        """Run past inputs on two texts, side by side."""
        from honeyguide.workspace.views.options import RunOptions

        return (await self._judging.replay(trace_ids, left, right, options or RunOptions())).rows

    async def replay_versions(
        self,
        target: str | TargetRef,
        trace_ids: Sequence[int],
        left: str,
        right: str,
        options: RunOptions | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Replayed:
        """Run past inputs on two versions of a target, side by side.

        Args:
            left, right: a version's number, ``live``, or the id of a run for its proposed text.

        Raises:
            NotFound: a target, version, run or trace. PolicyRefused: see ``replay``.
        """
        from dataclasses import replace

        from honeyguide.workspace.views.options import RunOptions

        before, after = await self._text_of(target, left), await self._text_of(target, right)
        done = await self._judging.replay(trace_ids, before, after, options or RunOptions(), progress=progress)
        return replace(done, target=str(target), left=left, right=right)

    async def _text_of(self, target: str | TargetRef, name: str) -> str:
        if name == "live":
            return (await self._homes.home(target)).text
        if name.isdigit():
            return (await self._versions.show(target, int(name))).text
        run = await self._core.store.read(lambda unit: unit.runs.require(name))
        return run.winner_text
