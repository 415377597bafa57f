"""The diff has no case that takes out of proportion; ``benchmarks/diff.py`` holds the budgets themselves."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import pytest

from honeyguide.versions.diff import compare, fold, rows_of

_PATH = Path(__file__).resolve().parents[3] / "benchmarks" / "diff.py"
_SPEC = importlib.util.spec_from_file_location("benchmark_of_the_diff", _PATH)
benchmark = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(benchmark)

SLACK = 10.0 if sys.gettrace() else 3.0
"""Processor time too grows beside other programs, and counting lines for coverage makes pure Python much slower."""


@pytest.mark.parametrize(("name", "budget", "make"), benchmark.CASES, ids=[name for name, _, _ in benchmark.CASES])
def test_a_comparison_stays_within_its_budget(name, budget, make):
    before, after = make()
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        rows = fold(rows_of(compare(before, after)))
        best = min(best, (time.process_time() - start) * 1000)
        if best < budget * SLACK:
            break
    assert rows
    assert best < budget * SLACK


def test_text_that_repeats_itself_is_no_trap():
    lines = ["- yes\n", "- no\n", "\n"] * 4000
    shifted = [*lines[1:6000], "- maybe\n", *lines[6000:]]
    start = time.process_time()
    rows = rows_of(compare("".join(lines), "".join(shifted)))
    assert time.process_time() - start < 3 * SLACK
    assert sum(row.kind.value != "context" for row in rows) <= 4
