"""Graded cases as files: rows as in ``rows``, with ``actual`` and ``grade``, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.evals.exam import ExamCase
from honeyguide.evals.rows import from_row, to_row

_WORDS: Final[Mapping[str, float]] = {"good": 1.0, "bad": 0.0, "pass": 1.0, "fail": 0.0, "yes": 1.0, "no": 0.0}


@dataclass(frozen=True, slots=True)
class ExamRead:
    """What a file held; ``skipped`` says of each unusable line (from 1) why."""

    cases: tuple[ExamCase, ...]
    skipped: Mapping[int, str]


def read_exam(text: str) -> ExamRead:
    """Read graded cases.

    ``grade`` is ``"good"`` or ``"bad"``, true or false, or a number: from 0 to 1, or from 0 to 10 when it is
    above 1. ``answered_by`` names the model of the answer and may be missing, as may ``metadata``.
    """
    cases: list[ExamCase] = []
    skipped: dict[int, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        made = _read(line)
        if isinstance(made, ExamCase):
            cases.append(made)
        else:
            skipped[number] = made
    return ExamRead(tuple(cases), skipped)


def write_exam(case: ExamCase) -> str:
    """Return the line of one case, without a line end."""
    return _line(case, case.grade)


def write_ungraded(case: ExamCase) -> str:
    """Return the same with an empty grade, for a person to fill in."""
    return _line(case, "")


def _line(case: ExamCase, grade: float | str) -> str:
    row = {**to_row(case.example), "actual": case.actual, "grade": grade, "answered_by": case.answered_by}
    return json.dumps(row, ensure_ascii=False)


def _read(line: str) -> ExamCase | str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(row, dict):
        return "not an object"
    for key in ("input", "expected_output", "actual"):
        if not isinstance(row.get(key), str):
            return f"no {key}"
    grade = _grade(row.get("grade"))
    if grade is None:
        return "no grade"
    metadata = row.get("metadata")
    example = from_row({**row, "metadata": metadata if isinstance(metadata, dict) else {}})
    answered_by = row.get("answered_by")
    return ExamCase(example, row["actual"], grade, answered_by if isinstance(answered_by, str) else "")


def _grade(value: Any) -> float | None:
    if isinstance(value, str):
        return _WORDS.get(value.strip().casefold())
    if isinstance(value, bool):
        return 1.0 if value else 0.0
    if not isinstance(value, int | float) or not 0 <= value <= 10:
        return None
    return float(value) if value <= 1 else value / 10
