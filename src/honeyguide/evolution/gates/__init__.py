"""The rules a candidate must pass: deterministic, named, explained. For ``evolution`` and the rooms above it."""

from honeyguide.evolution.gates.length import longest_allowed_growth
from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores
from honeyguide.evolution.gates.running import first_failure, run_gates, up_to_first_failure

__all__ = [
    "GateInput",
    "GateOptions",
    "GateResult",
    "GateScores",
    "first_failure",
    "longest_allowed_growth",
    "run_gates",
    "up_to_first_failure",
]
