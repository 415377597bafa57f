"""The judge's exam: answers that a person graded, graded again by the judge, and what the comparison shows.

A judge that agrees too little with the person, changes its mind, or is swayed by order, length or by answers of its
own model must not verify anything.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from honeyguide.evals.agreement import Kappa, cohens_kappa
from honeyguide.evals.examples import Example
from honeyguide.evals.judge import Judge
from honeyguide.evals.statistics import Interval, draw_indices, mean, wilson_interval
from honeyguide.evals.verdicts import Verdict
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.cancel import Cancellation

PASS_MARK: Final = 0.6
"""An overall score from here on means "good"."""
RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True)
class ExamCase:
    """One answer that a person graded.

    Attributes:
        grade: the person's, in [0, 1]; "good" is 1 and "bad" is 0.
        answered_by: the model that wrote the answer, as ``PROVIDER:MODEL``; empty when unknown.
    """

    example: Example
    actual: str
    grade: float
    answered_by: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.grade <= 1.0:
            raise InvalidInput(f"A grade of {self.grade} makes no sense; it must lie between 0 and 1.")


@dataclass(frozen=True, slots=True)
class ExamBar:
    """What a judge has to reach.

    Attributes:
        least_cases: graded cases that an exam needs.
        least_kappa: agreement on good or bad beyond chance; ``least_kappa_low`` for the lower end of its interval.
        most_flips: share of cases whose good or bad changes when the answer stands before the expectation.
        least_repeatable: share of cases that get the same good or bad each time.
        most_length_slope: score per 1000 characters that length alone may be worth, up or down.
        most_self_preference: score that answers of the judge's own model may get on top.
        most_unscored: share of verdicts that may be missing.
    """

    least_cases: int = 20
    least_kappa: float = 0.6
    least_kappa_low: float = 0.3
    most_flips: float = 0.1
    least_repeatable: float = 0.9
    most_length_slope: float = 0.1
    most_self_preference: float = 0.1
    most_unscored: float = 0.2


@dataclass(frozen=True, slots=True)
class CaseVerdicts:
    """What the judge said of one case: as usual, more than once, and once with the order swapped."""

    case: ExamCase
    verdicts: tuple[Verdict, ...]
    swapped: Verdict

    @property
    def scores(self) -> list[float]:
        """The scores that exist, in the usual order of the blocks."""
        return [v.score.weighted for v in self.verdicts if v.score is not None]


@dataclass(frozen=True, slots=True)
class Measured:
    """A number with its interval; ``value`` is ``None`` when there were no cases to measure it on."""

    value: float | None
    interval: Interval | None
    n: int

    def to_json(self) -> dict[str, Any]:
        """Return the number as plain data."""
        interval = None if self.interval is None else [self.interval.low, self.interval.high]
        return {"value": self.value, "interval": interval, "n": self.n}


@dataclass(frozen=True, slots=True)
class ExamReport:
    """The result of an exam.

    Attributes:
        error: mean absolute difference between the judge's score and the person's grade.
        length_slope: what 1000 characters more are worth to the judge where the person's grade is the same.
        self_preference: how much better than others its own model's answers come off, beside the person's grade.
        failures: why the judge did not pass, in words; empty when it did.
    """

    n: int
    kappa: Kappa
    error: float
    length_slope: Measured
    position_flips: Measured
    self_preference: Measured
    repeatability: Measured
    unscored: int
    verdicts: int
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the judge may verify."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "passed": self.passed,
            "failures": list(self.failures),
            "n": self.n,
            "kappa": {
                "value": self.kappa.value,
                "interval": [self.kappa.interval.low, self.kappa.interval.high],
                "agreement": self.kappa.agreement,
            },
            "error": self.error,
            "length_slope": self.length_slope.to_json(),
            "position_flips": self.position_flips.to_json(),
            "self_preference": self.self_preference.to_json(),
            "repeatability": self.repeatability.to_json(),
            "unscored": self.unscored,
            "verdicts": self.verdicts,
        }


async def take_exam(
    cases: Sequence[ExamCase],
    judge: Judge,
    *,
    repeats: int = 2,
    concurrency: int = 8,
    bar: ExamBar | None = None,
    seed: int = 1,
    cancellation: Cancellation | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ExamReport:
    """Let ``judge`` grade every case ``repeats`` times and once swapped, and compare.

    Raises:
        InvalidInput: fewer than two repeats: nothing could be said of repeatability.
        BudgetExceeded, Interrupted: the exam has to stop.
    """
    if repeats < 2:
        raise InvalidInput("The exam needs at least two verdicts a case.")
    slots = asyncio.Semaphore(max(1, concurrency))
    done, is_over = 0, False

    async def one(case: ExamCase, repetition: int, swapped: bool) -> Verdict:
        nonlocal done
        async with slots:
            if is_over:
                raise asyncio.CancelledError
            if cancellation is not None:
                cancellation.check()
            verdict = await judge.score(case.example, case.actual, repetition, swapped=swapped)
        done += 1
        if progress is not None:
            progress(done, len(cases) * (repeats + 1))
        return verdict

    plan = [*((repetition, False) for repetition in range(repeats)), (0, True)]
    tasks = [asyncio.create_task(one(case, *way)) for case in cases for way in plan]
    try:
        verdicts = await asyncio.gather(*tasks)
    finally:
        is_over = True
        await asyncio.gather(*tasks, return_exceptions=True)
    answered = []
    for case, start in zip(cases, range(0, len(tasks), len(plan)), strict=True):
        *usual, swapped = verdicts[start : start + len(plan)]
        answered.append(CaseVerdicts(case, tuple(usual), swapped))
    return await asyncio.to_thread(grade_exam, answered, str(judge.model), bar=bar, seed=seed)


def grade_exam(
    answered: Sequence[CaseVerdicts], judge_model: str, *, bar: ExamBar | None = None, seed: int = 1
) -> ExamReport:
    """Return the report on verdicts that are there already. Pure."""
    bar = bar or ExamBar()
    scored = [a for a in answered if a.scores]
    pairs = [(_is_good(a.case.grade), _is_good(mean(a.scores))) for a in scored]
    errors = [mean(a.scores) - a.case.grade for a in scored]
    unscored = sum(v.score is None for a in answered for v in (*a.verdicts, a.swapped))
    verdicts = sum(len(a.verdicts) + 1 for a in answered)
    flips = [_is_good(a.scores[0]) != _is_good(a.swapped.score.weighted) for a in scored if a.swapped.score is not None]
    repeated = [len({_is_good(s) for s in a.scores}) == 1 for a in scored if len(a.scores) > 1]
    report = ExamReport(
        n=len(scored),
        kappa=cohens_kappa(pairs),
        error=mean([abs(e) for e in errors]),
        length_slope=_length_slope(scored, seed),
        position_flips=_share(flips),
        self_preference=_self_preference(scored, errors, judge_model, seed),
        repeatability=_share(repeated),
        unscored=unscored,
        verdicts=verdicts,
    )
    return replace(report, failures=tuple(_failures(report, bar)))


def _failures(report: ExamReport, bar: ExamBar) -> list[str]:
    said = []
    if report.n < bar.least_cases:
        said.append(f"{report.n} graded cases are too few; {bar.least_cases} are needed.")
    kappa = report.kappa
    if kappa.value is None:
        said.append("All cases are alike, so agreement cannot be told from chance; grade good and bad answers.")
    elif kappa.value < bar.least_kappa or kappa.interval.low < bar.least_kappa_low:
        said.append(
            f"It agrees too little with you: kappa {kappa.value:.2f} "
            f"({kappa.interval.low:.2f} to {kappa.interval.high:.2f}); {bar.least_kappa:.2f} is needed."
        )
    if (flips := report.position_flips.value) is not None and flips > bar.most_flips:
        said.append(f"In {flips:.0%} of the cases the order of the texts changes its mind.")
    if (same := report.repeatability.value) is not None and same < bar.least_repeatable:
        said.append(f"Asked again it says the same in only {same:.0%} of the cases.")
    if _is_beyond(report.length_slope, bar.most_length_slope):
        said.append(f"It gives {100 * (report.length_slope.value or 0):+.0f} points for every 1000 characters.")
    if _is_beyond(report.self_preference, bar.most_self_preference, one_sided=True):
        said.append(f"It gives its own model's answers {100 * (report.self_preference.value or 0):+.0f} points.")
    if report.verdicts and report.unscored / report.verdicts > bar.most_unscored:
        said.append(f"{report.unscored} of {report.verdicts} verdicts could not be read.")
    return said


def _is_beyond(measured: Measured, limit: float, *, one_sided: bool = False) -> bool:
    """Whether a bias is larger than allowed, and really there: its interval excludes 0."""
    if measured.value is None or measured.interval is None or not measured.interval.excludes(0.0):
        return False
    return measured.value > limit if one_sided else abs(measured.value) > limit


def _length_slope(scored: Sequence[CaseVerdicts], seed: int) -> Measured:
    """Regress the judge's score on the person's grade and the length; return the length's coefficient."""
    if len(scored) < 8:
        return Measured(None, None, len(scored))
    design = np.array([[1.0, a.case.grade, len(a.case.actual) / 1000.0] for a in scored])
    scores = np.array([mean(a.scores) for a in scored])
    if float(np.ptp(design[:, 2])) == 0.0:
        return Measured(None, None, len(scored))
    slopes = [
        float(np.linalg.lstsq(design[rows], scores[rows], rcond=None)[0][2])
        for rows in draw_indices(seed, "length-slope", len(scored), (RESAMPLES // 4, len(scored)))
    ]
    value = float(np.linalg.lstsq(design, scores, rcond=None)[0][2])
    return Measured(value, _middle(slopes), len(scored))


def _self_preference(scored: Sequence[CaseVerdicts], errors: Sequence[float], judge_model: str, seed: int) -> Measured:
    own = [e for a, e in zip(scored, errors, strict=True) if a.case.answered_by == judge_model]
    others = [e for a, e in zip(scored, errors, strict=True) if a.case.answered_by not in ("", judge_model)]
    if len(own) < 5 or len(others) < 5:
        return Measured(None, None, len(own) + len(others))
    mine, theirs = np.asarray(own), np.asarray(others)
    gaps = mine[draw_indices(seed, "own", len(own), (RESAMPLES, len(own)))].mean(axis=1) - theirs[
        draw_indices(seed, "others", len(others), (RESAMPLES, len(others)))
    ].mean(axis=1)
    return Measured(mean(own) - mean(others), _middle(gaps.tolist()), len(own) + len(others))


def _middle(values: Sequence[float]) -> Interval:
    low, high = np.quantile(np.asarray(values), [0.025, 0.975])
    return Interval(float(low), float(high))


def _share(hits: Sequence[bool]) -> Measured:
    if not hits:
        return Measured(None, None, 0)
    return Measured(sum(hits) / len(hits), wilson_interval(sum(hits), len(hits)), len(hits))


def _is_good(score: float) -> bool:
    return score >= PASS_MARK - 1e-9 and math.isfinite(score)
