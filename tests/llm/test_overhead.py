"""The layers stay thin: the bars of ``benchmarks/llm_stack.py``, on a small run and with room for a busy machine."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def bench():
    path = Path(__file__).parents[2] / "benchmarks" / "llm_stack.py"
    spec = importlib.util.spec_from_file_location("llm_stack_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_call_costs_little_time_and_memory(bench) -> None:
    assert min(asyncio.run(bench.added_milliseconds(200)).processor for _ in range(3)) < bench.MAX_MILLISECONDS
    assert asyncio.run(bench.kept_bytes(200)) < bench.MAX_KEPT_BYTES


def test_slots_stay_busy(bench) -> None:
    assert max(asyncio.run(bench.busy_share(160)) for _ in range(2)) > 0.85
