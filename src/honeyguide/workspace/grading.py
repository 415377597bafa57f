"""Answers for a person to grade, so that the judge can be examined on them.

They come from the unseen cases of past runs: both sides, good and bad ones by turns as far as the judge's own scores
tell, each case once. What was graded is kept as lines of the workspace's file of graded cases.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path

from honeyguide.evals.exam import PASS_MARK, ExamCase
from honeyguide.evals.exam_cases import read_exam, write_exam, write_ungraded
from honeyguide.evals.examples import Example
from honeyguide.evals.verdicts import Evaluation
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.choice import shuffled
from honeyguide.llm import ModelRole
from honeyguide.storage import Unit
from honeyguide.storage.evaluations import HOLDOUT
from honeyguide.storage.records import AttemptFilter
from honeyguide.storage.run_sink import BASELINE, CANDIDATE
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import read_file
from honeyguide.workspace.preparing import models_for
from honeyguide.workspace.views.options import RunOptions

CASES = "judge-exam.jsonl"
NEWEST_RUNS = 20
"""How many runs answers are taken from."""


@dataclass(frozen=True, slots=True)
class AnswerToGrade:
    """One answer that a person may grade."""

    case: ExamCase

    @property
    def input(self) -> str:
        return self.case.example.input

    @property
    def expected(self) -> str:
        """The reference answer, or (``is_rubric``) what a person said that a good answer must do."""
        return self.case.example.expected

    @property
    def is_rubric(self) -> bool:
        return self.case.example.role.value == "rubric"

    @property
    def actual(self) -> str:
        return self.case.actual

    def graded(self, is_good: bool) -> ExamCase:
        """Return the case with a person's grade."""
        return replace(self.case, grade=1.0 if is_good else 0.0)


class Grading:
    """Finds answers to grade and keeps the grades."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._one_at_a_time = asyncio.Lock()

    @property
    def path(self) -> Path:
        """The file of graded cases."""
        return self._core.layout.root / CASES

    async def answers(self, limit: int, *, seed: int) -> list[AnswerToGrade]:
        """Return answers of past runs that were not graded yet; none where no run was proven."""
        known = {_key(case.example.input, case.actual) for case in await self.graded()}
        default = str(models_for(self._core, RunOptions())[ModelRole.EXECUTOR])
        found = await self._core.store.read(lambda unit: _answers(unit, default))
        fresh = [(case, score) for case, score in found if _key(case.example.input, case.actual) not in known]
        order = shuffled(seed, fresh, "exam answers")
        one_each = list({case.example.id: (case, score) for case, score in order}.values())
        good = [case for case, score in one_each if score is not None and score >= PASS_MARK]
        bad = [case for case, score in one_each if score is None or score < PASS_MARK]
        mixed = [case for case in chain.from_iterable(zip_longest(bad, good)) if case is not None]
        return [AnswerToGrade(case) for case in mixed[:limit]]

    async def export(self, file: Path, limit: int, *, seed: int) -> int:
        """Write the same answers to ``file``, to be graded in another program; returns how many. Raises Unwritable."""
        text = "".join(f"{write_ungraded(answer.case)}\n" for answer in await self.answers(limit, seed=seed))
        await self._core.in_thread(lambda: write_atomically(file, text.encode()))
        return text.count("\n")

    async def graded(self) -> tuple[ExamCase, ...]:
        """Return what is graded already; none without a file."""
        if not self.path.is_file():
            return ()
        data = await self._core.in_thread(lambda: read_file(self.path))
        return read_exam(data.decode("utf-8-sig")).cases

    async def keep(self, cases: Sequence[ExamCase]) -> int:
        """Add graded cases and return how many there are; one that is graded again gets the new grade.

        Raises Unwritable.
        """
        async with self._one_at_a_time:
            kept = {_key(case.example.input, case.actual): case for case in (*await self.graded(), *cases)}
            text = "".join(f"{write_exam(case)}\n" for case in kept.values())
            await self._core.in_thread(lambda: write_atomically(self.path, text.encode()))
            return len(kept)


def _answers(unit: Unit, default: str) -> list[tuple[ExamCase, float | None]]:
    found: list[tuple[ExamCase, float | None]] = []
    for attempt in unit.attempts.list(AttemptFilter(), limit=NEWEST_RUNS):
        if attempt.finding is None or attempt.dataset_hash is None:
            continue
        examples = {example.id: example for example in unit.datasets.load(attempt.dataset_hash).holdout}
        named = str((attempt.options.get("models") or {}).get(ModelRole.EXECUTOR.value) or "")
        for side in (BASELINE, CANDIDATE):
            for evaluation in unit.evaluations.of(attempt.uuid, HOLDOUT, side):
                case = _case(examples, evaluation, named or default)
                if case is not None:
                    found.append((case, evaluation.verdict.overall))
    return found


def _case(examples: Mapping[str, Example], evaluation: Evaluation, answered_by: str) -> ExamCase | None:
    example = examples.get(evaluation.example_id)
    if example is None or evaluation.repetition or not evaluation.actual.strip() or not example.expected:
        return None
    return ExamCase(example, evaluation.actual, 0.0, answered_by)


def _key(asked: str, answer: str) -> str:
    return fingerprint([asked, answer])
